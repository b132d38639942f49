import { readFileSync, writeFileSync } from 'node:fs';
import { generateApiDocument } from './api-document.ts';
import { toApiPage } from './api-page.ts';

// Writes openapi.json and docs/api.md. With `--check`, only says whether they are up to date.
const document = await generateApiDocument();
const files = {
  'packages/service/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/api.md': toApiPage(document),
};
for (const [name, text] of Object.entries(files)) {
  const file = new URL(`../../${name}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') === text) {
    process.stdout.write(`${name} is up to date\n`);
  } else {
    process.stderr.write(`${name} is not up to date: run npm run docs:api\n`);
    process.exitCode = 1;
  }
}
