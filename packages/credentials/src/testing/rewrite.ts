import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../parse-json.ts';

const EXPANDED: Record<string, string> = {
  name: 'https://schema.org/name',
  credentialStatus: 'https://www.w3.org/2018/credentials#credentialStatus',
  credentialSubject: 'https://www.w3.org/2018/credentials#credentialSubject',
  validFrom: 'https://www.w3.org/2018/credentials#validFrom',
  criteria: 'Criteria',
  result: 'https://purl.imsglobal.org/spec/vc/ob/vocab.html#result',
  type: '@type',
  id: '@id',
};

const onObjects = (write: (value: JsonObject) => Json) => (value: Json) =>
  isObject(value) ? write(value) : value;
const onTexts = (write: (value: string) => Json) => (value: Json) =>
  typeof value === 'string' ? write(value) : value;
const halves = (value: JsonObject): [JsonObject, JsonObject] => {
  const entries = Object.entries(value).filter(([name]) => name !== 'id' && name !== 'type');
  const own = {
    ...(value.id === undefined ? {} : { id: value.id }),
    ...(value.type === undefined ? {} : { type: value.type }),
  };
  const middle = entries.length >> 1;
  return [
    { ...own, ...Object.fromEntries(entries.slice(0, middle)) },
    { ...own, ...Object.fromEntries(entries.slice(middle)) },
  ];
};

/** Other forms of a value: some mean the same in JSON-LD, some do not, and some are not allowed. */
const FORMS: ((value: Json) => Json)[] = [
  (value) => [value],
  (value) => [[value]],
  (value) => [[], [[value]]],
  (value) => [null, value, null],
  (value) => [value, value],
  (value) => (Array.isArray(value) ? value.toReversed() : value),
  (value) => (Array.isArray(value) ? value.map((item) => [item]) : value),
  (value) => ({ '@set': [value] }),
  (value) => ({ '@list': [value] }),
  (value) => ({ '@graph': [value] }),
  () => null,
  () => [],
  () => 'other',
  onTexts((id) => ({ id })),
  onTexts((id) => ({ '@id': id })),
  onTexts((text) => ({ '@value': text })),
  onTexts((text) => ({ '@value': text, '@language': 'en' })),
  onTexts((text) => ({ '@value': text, '@direction': 'rtl' })),
  onTexts((text) => ({ '@value': text, '@type': 'http://www.w3.org/2001/XMLSchema#string' })),
  onTexts((text) => (/^\d+$/.test(text) ? Number(text) : ` ${text}`)),
  onObjects(({ id, ...value }) => id ?? value),
  onObjects((value) => halves(value)),
  onObjects((value) => [halves(value)]),
  onObjects((value) => [{ id: value.id ?? null }, value]),
  onObjects((value) => [{}, value]),
  onObjects((value) => ({ ...value, id: value.id ?? '_:other' })),
  onObjects((value) => ({ ...value, unknown: null })),
  onObjects((value) => ({ ...value, evidence: [], image: null })),
  onObjects((value) => ({ '@context': null, ...value })),
  onObjects((value) => ({ '@context': { name: 'https://schema.org/description' }, ...value })),
  onObjects((value) => ({ ...value, '@index': 'other' })),
  onObjects((value) => ({ ...value, '@nest': { name: 'other' } })),
  onObjects((value) => ({ ...value, '@included': [{ id: 'urn:other', name: 'other' }] })),
  onObjects((value) => ({ ...value, '@reverse': { issuer: { id: 'urn:other' } } })),
  onObjects((value) => ({ ...value, constructor: 'other', toString: 'other' }) as JsonObject),
  onObjects((value) => JSON.parse(JSON.stringify(value).replace('{', '{"__proto__":{"name":"other"},'))),
  onObjects((value) => JSON.parse(JSON.stringify(value).replace('{', '{"__proto__":null,'))),
  onObjects((value) =>
    Object.fromEntries(Object.entries(value).map(([name, item]) => [EXPANDED[name] ?? name, item])),
  ),
];

/** Texts of a credential in another form, with one to five changes of its form anywhere in it. */
export function rewritings(credential: JsonObject): fc.Arbitrary<string> {
  const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...FORMS)), { minLength: 1, maxLength: 5 });
  return changes.map((chosen) => {
    const root: JsonObject = { credential: structuredClone(credential) };
    for (const [place, form] of chosen) {
      const places = listPlaces(root);
      const [holder, name] = places[place % places.length] ?? [root, 'credential'];
      holder[name] = form(holder[name] ?? null);
    }
    return JSON.stringify(root.credential);
  });
}

function listPlaces(value: Json): [holder: JsonObject, name: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((name) => [
    [value as JsonObject, name] as [JsonObject, string],
    ...listPlaces((value as JsonObject)[name] ?? null),
  ]);
}

const replace = (from: string | RegExp, to: string) => (credential: JsonObject) => {
  const json = JSON.stringify(credential);
  if (json.search(from) < 0) throw new Error(`the credential has no ${from}`);
  return json.replace(from, to);
};
const change =
  (write: (credential: JsonObject, subject: JsonObject, achievement: JsonObject) => object) =>
  (credential: JsonObject) => {
    const subject = credential.credentialSubject as JsonObject;
    return JSON.stringify(write(credential, subject, subject.achievement as JsonObject));
  };
const withSubject = (write: (subject: JsonObject, achievement: JsonObject) => Json) =>
  change((credential, subject, achievement) => ({
    ...credential,
    credentialSubject: write(subject, achievement),
  }));

/** Forms that somebody would write by hand to hide or to exchange something, by what they have. */
export const STRANGE_FORMS: Record<string, (credential: JsonObject) => string> = {
  'a list in a list': withSubject((subject, achievement) => ({
    ...subject,
    result: [subject.result ?? null],
    achievement: {
      ...achievement,
      criteria: [[achievement.criteria ?? null]],
      name: [[achievement.name ?? null]],
    },
  })),
  'a thing in two objects': withSubject((subject, achievement) => {
    const { id, type, name, ...rest } = achievement;
    return {
      ...subject,
      achievement: [
        { id, type, name },
        { id, type, ...rest },
      ] as Json,
    };
  }),
  nulls: withSubject((subject) => ({ ...subject, result: [null, ...(subject.result as Json[]), null] })),
  'another blank node': withSubject((subject, achievement) => ({
    ...subject,
    achievement: { ...achievement, criteria: { id: '_:x', ...(achievement.criteria as JsonObject) } },
  })),
  'an id that JavaScript treats specially': withSubject((subject, achievement) => ({
    ...subject,
    achievement: { ...achievement, criteria: { id: '_:__proto__', ...(achievement.criteria as JsonObject) } },
  })),
  'a prototype': replace('"narrative"', '"__proto__":{"narrative":"other"},"narrative"'),
  'a prototype in place of a member': replace('"narrative"', '"__proto__"'),
  'a prototype of the credential': replace(
    '{',
    '{"__proto__":{"name":"other","validUntil":"2020-01-01T00:00:00Z"},',
  ),
  'a constructor': replace('"narrative"', '"constructor":{"name":"other"},"narrative"'),
  'a member twice': replace('"narrative"', '"narrative":"other","narrative"'),
  'a member twice, the other one last': replace(
    /"narrative":"[^"]*"/,
    '"narrative":"Give a talk","narrative":"other"',
  ),
  'a name with an escape': replace('"narrative"', '"narr\\u0061tive"'),
  'a keyword with an escape': replace('"narrative"', '"\\u0040index":"x","narrative"'),
  'a status without a value': change((credential) => ({ ...credential, credentialStatus: [] })),
  'a status of another node': change((credential) => ({
    ...credential,
    credentialStatus: [
      [{ id: (credential.credentialStatus as JsonObject).id ?? null }],
      credential.credentialStatus ?? null,
    ],
  })),
  'a graph': change(
    ({ '@context': context, proof, ...rest }) =>
      ({
        '@context': context,
        proof,
        type: rest.type,
        '@graph': [rest],
      }) as object,
  ),
  'all in a graph': change(
    ({ '@context': context, proof, ...rest }) => ({ '@context': context, proof, '@graph': rest }) as object,
  ),
  'an included thing': change((credential, subject) => {
    const { achievement, ...rest } = subject;
    return {
      ...credential,
      credentialSubject: { ...rest, achievement: (achievement as JsonObject).id },
      '@included': [achievement],
    };
  }),
  'another context inside': withSubject((subject) => ({ '@context': null, ...subject })),
  'a context of its own': change((credential) => ({
    ...credential,
    '@context': [...(credential['@context'] as Json[]), { name: 'https://schema.org/description' }],
  })),
  'an option of the proof': change((credential) => ({
    ...credential,
    proof: { ...(credential.proof as JsonObject), expires: '2020-01-01T00:00:00Z' },
  })),
  'another proof': change((credential) => ({
    ...credential,
    proof: [{ type: 'other' }, [], null, credential.proof ?? null],
  })),
  'a proof in a list': change((credential) => ({ ...credential, proof: [[credential.proof ?? null]] })),
  'an issuer in two objects': change((credential) => {
    const { id, type, name, ...rest } = credential.issuer as JsonObject;
    return { ...credential, issuer: [{ id, ...rest }, [{ id, type, name }]] };
  }),
  'a decoy issuer': change((credential) => ({
    ...credential,
    issuer: [[credential.issuer ?? null], 'did:key:other'],
  })),
  'a subject in two objects': withSubject((subject) => {
    const { id, type, result, ...rest } = subject;
    return [
      { id, type, ...rest },
      { id, type, result },
    ] as Json;
  }),
  'statements in an IRI': replace(
    /"id":"https:\/\/example.org\/images\/token\/1.png"/,
    '"id":"https://example.org/images/token/1.png> .\\n<urn:x> <urn:y> <urn:z"',
  ),
  'a surrogate': replace('日本語', '日本語\\ud800'),
  'a language': replace('"narrative":"Give a talk"', '"narrative":{"@value":"Give a talk","@language":"en"}'),
  'a value': replace('"narrative":"Give a talk"', '"narrative":{"@value":"Give a talk"}'),
  'a set': replace('"narrative":"Give a talk"', '"narrative":{"@set":["Give a talk"]}'),
  'a nest': replace('"narrative":"Give a talk"', '"@nest":{"narrative":"Give a talk"}'),
  'an index': replace('"narrative":"Give a talk"', '"narrative":[{"@value":"Give a talk","@index":"x"}]'),
  'a number in place of a text': replace('"statusListIndex":"7"', '"statusListIndex":7'),
};
