import { writeFileSync } from 'node:fs';
import { families } from './families.ts';
import { writePage } from './page.ts';

writeFileSync(new URL('../../docs/bad-input.md', import.meta.url), writePage(families));
