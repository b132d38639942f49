import type { ListRow } from '../../lists/read-workbook.ts';
import { readTypedAddress } from '../../wallet/address.ts';
import { cleanCell, cleanName } from './clean-cell.ts';
import type { Role } from './column-titles.ts';
import { findRecipients, looksLikeName, type Recipient } from './find-recipients.ts';
import type { ColumnMapping } from './guess-columns.ts';
import type { PersonLine } from './person-line.ts';

/** A line says at most so much about what is not used. */
const MAX_UNUSED = 3;
const MAX_UNUSED_LENGTH = 60;

/**
 * Reads the people of a list. Each row below the titles is at least one line, so nobody is left out: a row
 * without an address or an e-mail becomes a wrong line, and each further person in a row a line of its own.
 */
export function readPeople(rows: readonly ListRow[], mapping: ColumnMapping): PersonLine[] {
  const { titleLine } = mapping;
  return rows
    .filter(({ line }) => titleLine === null || line > titleLine)
    .flatMap((row) => readRow(row, mapping));
}

interface Found extends Recipient {
  column: number;
}

function readRow(
  { line, cells: written }: ListRow,
  { titleLine, roles, asked }: ColumnMapping,
): PersonLine[] {
  const cells = written.map(cleanCell);
  const columnsOf = (...wanted: Role[]) =>
    [...cells.keys()].filter((index) => wanted.includes(roles[index] ?? 'none'));
  const nameColumns = columnsOf('name', 'firstName', 'lastName');
  const found = findIn(columnsOf('recipient', 'address', 'email'));
  let people = chooseRecipients(found.recipients, roles);
  const elsewhere = findIn([...cells.keys()].filter((index) => !found.columns.includes(index)));
  const unused: string[] = [];
  if (people.length === 0 && found.texts.length === 0) {
    // A line that was pasted below the others may have its recipient in another column.
    const mayBe = (column: number) =>
      nameColumns.includes(column) || (titleLine === null && !asked.includes(column));
    people = removeRepeated(
      elsewhere.recipients.filter(({ column }) => mayBe(column)),
      roles,
    );
  }
  const used = new Set(people.map(({ text }) => text.toLowerCase()));
  const notUsed = [...found.recipients, ...elsewhere.recipients].filter(
    ({ text }) => !used.has(text.toLowerCase()),
  );
  unused.push(...notUsed.map(({ text }) => text));

  const columns = (recipient: readonly number[], name: readonly number[]) =>
    roles.length > 1 ? { columns: { recipient, name } } : {};
  const language =
    columnsOf('language')
      .map((index) => cells[index])
      .find((cell) => cell !== '') ?? '';
  const titled = readName();
  const only = findOnlyName();

  function readName(): { text: string; columns: number[] } {
    const isName = (index: number) => findRecipients(cells[index] ?? '').recipients.length === 0;
    const filled = nameColumns.filter((index) => cells[index] !== '' && isName(index));
    const whole = filled.filter((index) => roles[index] === 'name');
    const parts = (['firstName', 'lastName'] as const).flatMap((role) =>
      filled.filter((index) => roles[index] === role),
    );
    const chosen = whole.length > 0 ? whole : parts;
    return { text: chosen.map((index) => cleanName(written[index] ?? '')).join(' '), columns: chosen };
  }

  /** The name of a line that has nothing else by which somebody could get the badge. */
  function findOnlyName(): typeof titled | null {
    if (found.recipients.length + elsewhere.recipients.length > 0) return null;
    const [first, ...others] = found.texts;
    if (first === undefined) return titled.text !== '' && !isSecret(titled.text) ? titled : null;
    const isAlone = others.length === 0 && cells.filter((cell) => cell !== '').length === 1;
    // Among e-mails, one word is rather an e-mail that was not finished.
    const isForNames =
      roles[first.column] === 'recipient' || (titleLine === null && first.text.includes(' '));
    if (!isAlone || !isForNames || !looksLikeWholeName(first.text)) return null;
    return { text: cleanName(written[first.column] ?? ''), columns: [first.column] };
  }

  function findIn(indexes: readonly number[]) {
    const recipients: Found[] = [];
    const texts: { text: string; column: number }[] = [];
    for (const column of indexes) {
      const content = findRecipients(cells[column] ?? '');
      recipients.push(...content.recipients.map((one) => ({ ...one, column })));
      if (content.rest !== '') texts.push({ text: content.rest, column });
    }
    return { columns: indexes, recipients, texts };
  }

  function finish(lines: PersonLine[], texts: readonly string[]): PersonLine[] {
    const all = [...new Set([...texts, ...unused])].filter((text) => text !== '');
    const [first, ...others] = lines;
    if (first === undefined || all.length === 0) return lines;
    const shown = all.slice(0, MAX_UNUSED).map((text) => text.slice(0, MAX_UNUSED_LENGTH));
    return [{ ...first, unused: all.length > MAX_UNUSED ? [...shown, '…'] : shown }, ...others];
  }

  const emails = people.filter(({ isEmail }) => isEmail);
  const addresses = people.filter(({ isEmail }) => !isEmail);
  const texts = found.texts.map(({ text }) => text);
  if (emails.length > 1 || addresses.length > 1) {
    // Nobody can say whose the name of the line is.
    const lines = people.map(({ text, name, column }, index): PersonLine => {
      const part = index === 0 ? {} : { part: index + 1 };
      return {
        line,
        ...part,
        name,
        recipient: text,
        email: '',
        language,
        ...columns([column], name === '' ? [] : [column]),
      };
    });
    return finish(lines, [...texts, titled.text]);
  }
  if (only !== null) {
    const { text: name, columns: nameIn } = only;
    const person = { line, name, recipient: '', hasOnlyName: true, email: '', language } as const;
    const rest = cells.filter((_, index) => !nameIn.includes(index));
    return finish([{ ...person, ...columns([], nameIn) }], rest);
  }
  const [email] = emails;
  const [address] = addresses;
  // What is meant as an address and is none is shown, not replaced by the e-mail.
  const wrong =
    address === undefined
      ? found.texts.find(({ text }) => email === undefined || looksMeantAsAddress(text))
      : undefined;
  const recipient = wrong ?? address ?? email;
  const isBoth = recipient !== email && email !== undefined;
  const isNamed = ({ name, text }: Found) => name !== '' && used.has(text.toLowerCase());
  const own = titled.text === '' ? [...people, ...elsewhere.recipients].find(isNamed) : undefined;
  const readFrom = [recipient, isBoth ? email : undefined].flatMap((one) =>
    one === undefined ? [] : [one.column],
  );
  const person: PersonLine = {
    line,
    name: own?.name ?? titled.text,
    recipient: recipient?.text ?? '',
    email: isBoth ? email.text : '',
    language,
    ...columns([...new Set(readFrom)], own === undefined ? titled.columns : [own.column]),
  };
  const left = found.texts.filter((one) => one !== wrong).map(({ text }) => text);
  // Without a recipient, the other cells say which line it is.
  const context = recipient === undefined ? cells.filter((cell) => cell !== titled.text) : [];
  return finish([person], [...left, ...context]);
}

function isSecret(text: string): boolean {
  const typed = readTypedAddress(text);
  return 'problem' in typed && typed.problem === 'secret';
}

/** Whether a text is a name, such as "Ada Lovelace" or "Guest 7", and no e-mail or address with a mistake. */
function looksLikeWholeName(text: string): boolean {
  const typed = readTypedAddress(text);
  if (!('problem' in typed) || typed.problem !== 'start') return false;
  if (looksMeantAsAddress(text) || /\p{L}\.\p{L}{2}|\sat\s|[@:;/<>]/iu.test(text)) return false;
  return looksLikeName(text) || /\p{L}{2}\S*\s+\d{1,4}$/u.test(text);
}

/** Whether a wrong text is rather an address than an e-mail. */
export function looksMeantAsAddress(text: string): boolean {
  return /^0x|[0-9a-f]{20}|\.eth$|…/i.test(text);
}

/** A column with the people themselves says more than columns with their addresses and e-mails. */
function chooseRecipients(found: readonly Found[], roles: readonly Role[]): Found[] {
  const isSelf = ({ column }: Found) => roles[column] === 'recipient';
  const hasSelf = (kind: boolean) => found.some((one) => one.isEmail === kind && isSelf(one));
  const [hasEmail, hasAddress] = [hasSelf(true), hasSelf(false)];
  return removeRepeated(
    found.filter((one) => isSelf(one) || !(one.isEmail ? hasEmail : hasAddress)),
    roles,
  );
}

/**
 * Leaves out who is in a second column of the same row. Who is twice in a column of people is there twice.
 */
function removeRepeated(found: readonly Found[], roles: readonly Role[]): Found[] {
  const firstColumns = new Map<string, number>();
  return found.filter(({ text, column }) => {
    const key = text.toLowerCase();
    const first = firstColumns.get(key);
    if (first === undefined) firstColumns.set(key, column);
    return (
      first === undefined ||
      first === column ||
      (roles[first] === 'recipient' && roles[column] === 'recipient')
    );
  });
}
