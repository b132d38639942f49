import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

/** Compares, prints and counts. */
export class Checks {
  passed = 0;
  failed = 0;

  equal(what: string, actual: unknown, expected: unknown): void {
    const isEqual = isDeepStrictEqual(actual, expected);
    if (isEqual) this.passed += 1;
    else this.failed += 1;
    const difference = `: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;
    process.stdout.write(
      `${isEqual ? 'ok    ' : 'FAILED'} ${what}${isEqual ? '' : difference.slice(0, 500)}\n`,
    );
  }

  /** Writes the counts as Vitest's JSON reporter does, for scripts/sum-results.ts. */
  async write(file: string): Promise<void> {
    const { passed: numPassedTests, failed: numFailedTests } = this;
    await writeFile(file, JSON.stringify({ numPassedTests, numFailedTests, numFailedTestSuites: 0 }));
  }
}
