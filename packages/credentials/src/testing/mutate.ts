type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface Mutation {
  path: string;
  changed: object;
}

/**
 * Returns copies of a credential with one change each: another value, a removed member, a removed or repeated
 * item of a list, or a new member in an object. Only changes that a signature covers: not the order of lists,
 * and not a list of one item without its brackets, which mean the same in JSON-LD.
 */
export function mutate(credential: object): Mutation[] {
  const mutations: Mutation[] = [];
  const visit = (value: Json, path: string, replace: (value: Json | undefined) => object) => {
    const add = (what: string, changed: Json | undefined) =>
      mutations.push({ path: `${path} (${what})`, changed: replace(changed) });
    if (typeof value === 'string') add('another value', changeText(value));
    if (typeof value === 'boolean') add('another value', !value);
    if (path !== '' && !path.startsWith('/proof/')) add('removed', undefined);
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        visit(item, `${path}/${index}`, (changed) =>
          replace(changed === undefined ? value.toSpliced(index, 1) : value.toSpliced(index, 1, changed)),
        );
      }
    } else if (typeof value === 'object' && value !== null) {
      add('a new member', { ...value, unknownMember: 'x' });
      for (const [name, item] of Object.entries(value)) {
        visit(item, `${path}/${name}`, (changed) => {
          const { [name]: _, ...rest } = value;
          return replace(changed === undefined ? rest : { ...rest, [name]: changed });
        });
      }
    }
  };
  visit(credential as Json, '', (changed) => changed as object);
  return mutations;
}

const OTHER_NAMES: [name: string, otherName: string][] = [
  ['credentialStatus', 'https://www.w3.org/2018/credentials#credentialStatus'],
  ['credentialSubject', 'https://www.w3.org/2018/credentials#credentialSubject'],
  ['criteria', 'Criteria'],
];

/**
 * Returns copies of a document in which one member has another name with the same meaning. The signature
 * stays right.
 */
export function renameMembers(document: object): Mutation[] {
  const json = JSON.stringify(document);
  return OTHER_NAMES.filter(([name]) => json.includes(`"${name}":`)).map(([name, otherName]) => ({
    path: `${name} (renamed to ${otherName})`,
    changed: JSON.parse(json.replace(`"${name}":`, () => `"${otherName}":`)),
  }));
}

// Keeps the kind of the text, so that only its meaning changes.
function changeText(text: string): string {
  if (/^\d+$/.test(text)) return String(Number(text) + 1);
  if (/^\d{4}-/.test(text)) return text.replace(/^2026/, '2025');
  if (/^(https?|urn|did|z|sha256-)/.test(text)) {
    const middle = Math.floor(text.length / 2);
    const other = text[middle] === 'a' ? 'b' : 'a';
    return text.slice(0, middle) + other + text.slice(middle + 1);
  }
  return `${text}x`;
}
