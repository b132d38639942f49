import { readTypedAddress } from '../../wallet/address.ts';

export type PersonProblem = 'noPerson' | 'address' | 'secret' | 'tooLong';

export interface PeopleInText {
  people: string[];
  /** The lines that are wrong, from the top. */
  problems: { line: number; text: string; problem: PersonProblem }[];
}

const MAX_CHARACTERS = 256;
const EMAIL = /^[^@\s]+@[^@\s]+$/;

/**
 * Reads addresses and e-mails from lines. A line that is pasted from a spreadsheet can have other cells too, such as a
 * name. The first line can have the titles of the columns.
 */
export function readPeople(text: string): PeopleInText {
  const people = new Map<string, string>();
  const problems: PeopleInText['problems'] = [];
  const lines = text.split(/\r\n|\r|\n/);
  const hasOthers = lines.slice(1).some((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    const cells = line.split(/[,;\t]/).map((cell) =>
      cell
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .trim(),
    );
    if (cells.every((cell) => cell === '')) continue;
    const found = cells.map(readCell);
    const persons = found.flatMap((cell) => ('person' in cell ? [cell.person] : []));
    const problem = found.find((cell) => 'problem' in cell && cell.problem !== 'noPerson');
    if (problem !== undefined && 'problem' in problem) {
      problems.push({ line: index + 1, text: line.trim(), problem: problem.problem });
    } else if (persons.length === 0) {
      if (index > 0 || !hasOthers) problems.push({ line: index + 1, text: line.trim(), problem: 'noPerson' });
    } else {
      for (const person of persons) people.set(person.toLowerCase(), person);
    }
  }
  return { people: [...people.values()], problems };
}

function readCell(cell: string): { person: string } | { problem: PersonProblem } {
  if (/^(0x)?[0-9a-f]{60,}$/i.test(cell)) return { problem: 'secret' };
  if (/^(0x|[0-9a-f]{40}$)/i.test(cell)) {
    const read = readTypedAddress(cell);
    return 'address' in read ? { person: read.address } : { problem: 'address' };
  }
  if (!EMAIL.test(cell)) return { problem: 'noPerson' };
  return cell.length > MAX_CHARACTERS ? { problem: 'tooLong' } : { person: cell };
}
