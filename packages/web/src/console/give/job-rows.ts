import { isAddress } from '../../urls.ts';
import type { GiveJob } from './give-job.ts';
import type { LineProblem } from './plan-lines.ts';
import { looksMeantAsAddress } from './read-people.ts';

/** What the file says about somebody, besides who it is. */
export interface RowResult {
  /** Empty if there is none. */
  link: string;
  result: string;
}

/**
 * The rows of the file with the results of a job, below their titles. The page reads it as a list too, and
 * finds the same people: also a wrong text is in the column where it is read again.
 */
export function toJobRows(
  { people, wrongLines }: Pick<GiveJob, 'people' | 'wrongLines'>,
  readResult: (place: number) => RowResult,
  describeProblem: (problem: LineProblem) => string,
): string[][] {
  const hasLanguages = [...people, ...wrongLines].some(({ language = '' }) => language !== '');
  const withLanguage = (cells: string[], language = '') => (hasLanguages ? [...cells, language] : cells);
  const rows = people.map(({ name, recipient, email, language }, place) => {
    const { link, result } = readResult(place);
    const [first, second] = isAddress(recipient) ? [email, recipient] : [recipient, ''];
    return withLanguage([name, first, second, link, result], language);
  });
  const wrong = wrongLines.map(({ name, recipient, email, language, problem }) => {
    const isEmail = email === '' && !looksMeantAsAddress(recipient);
    const [first, second] = isEmail ? [recipient, ''] : [email, recipient];
    return withLanguage([name, first, second, '', describeProblem(problem)], language);
  });
  return [withLanguage(['name', 'email', 'address', 'link', 'result'], 'language'), ...rows, ...wrong];
}
