/**
 * Why a list cannot be read:
 * - `tooLarge`: the file is too large
 * - `tooMuch`: what is in it is more than a list of people has (`LIST_LIMITS`)
 * - `tooSlow`: reading took too long, and was ended
 * - `noSheet`: a workbook without a sheet that can be read
 * - `unreadable`: neither a text nor an .xlsx file
 */
export type ListFileProblem = 'tooLarge' | 'tooMuch' | 'tooSlow' | 'noSheet' | 'unreadable';

export class ListFileError extends Error {
  readonly problem: ListFileProblem;

  constructor(problem: ListFileProblem, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}
