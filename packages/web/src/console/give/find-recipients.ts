import { looksLikeAddress, looksLikeEmail, NAME_AND_EMAIL } from '../../lists/parse-table.ts';

export interface Recipient {
  /** An e-mail or an address, which may be a wrong one. */
  text: string;
  isEmail: boolean;
  /** The name that is written with it; empty if there is none. */
  name: string;
}

export interface CellContent {
  recipients: Recipient[];
  /** What is none, and no name of one. */
  rest: string;
}

/** Finds everybody in a cell, such as `Ann <ann@example.org>; bob@example.org, 0x…`. */
export function findRecipients(cell: string): CellContent {
  // Most cells are one e-mail, one address or none.
  if (!/@|0x|[0-9a-f]{40}/i.test(cell)) return { recipients: [], rest: cell };
  const recipients: Recipient[] = [];
  const rest: string[] = [];
  for (const piece of splitPieces(cell)) {
    const mailed = NAME_AND_EMAIL.exec(piece);
    if (mailed !== null) {
      const name = (mailed[1] ?? '').trim();
      // A name can itself be the e-mail.
      recipients.push({ ...toRecipient(mailed[2] ?? ''), name: looksLikeEmail(name) ? '' : name });
      continue;
    }
    const words = piece.split(/\s+/).filter((word) => word !== '');
    const found = words.filter((word) => isRecipient(trimWord(word)));
    const others = words.filter((word) => !isRecipient(trimWord(word))).join(' ');
    const isNamed = found.length === 1 && looksLikeName(others) && !others.includes(':');
    recipients.push(
      ...found.map((word) => ({ ...toRecipient(trimWord(word)), name: isNamed ? others : '' })),
    );
    if (!isNamed && others !== '') rest.push(others);
  }
  return { recipients, rest: rest.join(' ') };
}

/** A name has letters. An amount, a date and an id have digits too. */
export function looksLikeName(text: string): boolean {
  return /\p{L}{2}/u.test(text) && !/[\d@/<>]/.test(text);
}

const isRecipient = (text: string) => looksLikeEmail(text) || looksLikeAddress(text);
const trimWord = (word: string) => word.replaceAll(/^[<("'[]+|[>)"'\]]+$/g, '');

function toRecipient(text: string): { text: string; isEmail: boolean } {
  return { text: text.replace(/^mailto:/i, ''), isEmail: looksLikeEmail(text) };
}

/** Splits a cell at separators that are not in quotes, and after each `>`. */
function splitPieces(cell: string): string[] {
  const hasQuotes = cell.split('"').length % 2 === 1;
  const pieces: string[] = [];
  let piece = '';
  let isQuoted = false;
  const end = () => {
    if (piece.trim() !== '') pieces.push(piece.trim());
    piece = '';
  };
  for (const character of cell) {
    if (character === '"' && hasQuotes) isQuoted = !isQuoted;
    if (!isQuoted && /[,;|]/.test(character)) end();
    else piece += character;
    if (!isQuoted && character === '>') end();
  }
  end();
  return pieces.flatMap((one, index) => {
    // "Lovelace, Ada <ada@example.org>": a name with a comma, without quotes.
    const next = pieces[index + 1];
    if (isLastName(one) && next !== undefined && NAME_AND_EMAIL.test(next) && !next.startsWith('<'))
      return [];
    const before = pieces[index - 1];
    const isJoined =
      before !== undefined && isLastName(before) && NAME_AND_EMAIL.test(one) && !one.startsWith('<');
    return [isJoined ? `${before}, ${one}` : one];
  });
}

const isLastName = (piece: string) => !/[@<>"]/.test(piece) && looksLikeName(piece);
