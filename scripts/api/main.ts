import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { generateApiDocument } from './api-document.ts';
import { toApiPage } from './api-page.ts';
import { describeArchive } from './archive-documents.ts';
import { describeCsvFields } from './csv-fields.ts';

const PAGE = new URL('../../docs/archive.md', import.meta.url);
const GUIDE = new URL('../../docs/guides/move.md', import.meta.url);

// Writes openapi.json, docs/api.md, the tables and schemas of archives, and the fields of CSV files. With
// `--check`, only says whether they are up to date.
const document = await generateApiDocument();
const files = {
  'packages/service/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/api.md': toApiPage(document),
  ...describeArchive(readFileSync(PAGE, 'utf8')),
  'docs/guides/move.md': describeCsvFields(readFileSync(GUIDE, 'utf8')),
};
for (const [name, text] of Object.entries(files)) {
  const file = new URL(`../../${name}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (existsSync(file) && readFileSync(file, 'utf8') === text) {
    process.stdout.write(`${name} is up to date\n`);
  } else {
    process.stderr.write(`${name} is not up to date: run npm run docs:api\n`);
    process.exitCode = 1;
  }
}
