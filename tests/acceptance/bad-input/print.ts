import { writeFileSync } from 'node:fs';
import { toHtml, toMarkdown } from './page.ts';
import { sections } from './sections.ts';

// Prints the page as Markdown. `--html FILE` writes the page that the service has at /docs/bad-input.
const [option, file] = process.argv.slice(2);
if (option === '--html' && file !== undefined) writeFileSync(file, toHtml(sections));
else process.stdout.write(toMarkdown(sections));
