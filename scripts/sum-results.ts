import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Adds up the results of several test runs, and names the tests that failed. The arguments are files of
// Vitest's JSON reporter. A missing file counts as one failure.

type TestReport = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

let passed = 0;
const failures: string[] = [];
for (const reportFile of process.argv.slice(2)) {
  if (!existsSync(reportFile)) {
    failures.push(`${reportFile}: the run wrote no report`);
    continue;
  }
  const report = JSON.parse(readFileSync(reportFile, 'utf8')) as TestReport;
  passed += report.numPassedTests;
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = path.relative(process.cwd(), name);
    const failedTests = assertionResults.filter((result) => result.status === 'failed');
    for (const { fullName, failureMessages } of failedTests) {
      failures.push(`${file}: ${fullName}: ${firstLine(failureMessages[0] ?? '')}`);
    }
    // A test file that cannot be loaded fails without a failed test.
    if (status === 'failed' && failedTests.length === 0) {
      failures.push(`${file}: ${firstLine(message)}`);
    }
  }
}
for (const failure of failures) {
  process.stdout.write(`failed: ${failure}\n`);
}
process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
