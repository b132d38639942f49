import type { ListTable } from '../../lists/read-list-table.ts';
import { cleanCell } from './clean-cell.ts';

const MAX_TEXTS = 3;
const MAX_LENGTH = 40;

/** UTF-8 that was read as something else, and saved so, such as "JÃ¶rg"; or a letter that was lost. */
const WRONG = /[ÃÂÄÅØÙÐÑ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|\ufffd/;
const NOT_ASCII = /\P{ASCII}/u;

/**
 * The first texts whose letters may be wrong: those that look wrong or, if the encoding is a guess, all that
 * depend on it.
 */
export function findDoubtfulTexts({ rows, guessedEncoding }: ListTable): string[] {
  const isDoubtful = (text: string) => (guessedEncoding === null ? WRONG : NOT_ASCII).test(text);
  const texts: string[] = [];
  for (const { cells } of rows) {
    for (const cell of cells) {
      if (isDoubtful(cell)) texts.push(cleanCell(cell).slice(0, MAX_LENGTH));
      if (texts.length === MAX_TEXTS) return texts;
    }
  }
  return texts;
}
