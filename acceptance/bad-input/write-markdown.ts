import { writeFileSync } from 'node:fs';
import { toMarkdown } from './markdown.ts';
import { sections } from './sections.ts';

writeFileSync(new URL('../../docs/bad-input.md', import.meta.url), toMarkdown(sections));
