import { readFileSync, writeFileSync } from 'node:fs';
import { readApiDocument } from './api-document.ts';
import { toApiPage } from './api-page.ts';

// Writes docs/api.md. With `--check`, only says whether it is up to date.
const file = new URL('../../docs/api.md', import.meta.url);
const page = toApiPage(await readApiDocument());
if (!process.argv.includes('--check')) {
  writeFileSync(file, page);
} else if (readFileSync(file, 'utf8') === page) {
  process.stdout.write('docs/api.md is up to date\n');
} else {
  process.stderr.write('docs/api.md is not up to date: run npm run docs:api\n');
  process.exitCode = 1;
}
