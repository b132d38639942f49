import { existsSync, readFileSync } from 'node:fs';

// Adds up the results of several test runs. The arguments are files of Vitest's JSON reporter. A missing file counts as
// one failure.
let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    failed += 1;
    continue;
  }
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(file, 'utf8'));
  passed += numPassedTests;
  // A test file that cannot be loaded counts as a failed suite, but has no failed test.
  failed += Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
