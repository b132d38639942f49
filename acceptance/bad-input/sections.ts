import { addresses } from './addresses.ts';
import { attributeRows } from './attributes.ts';
import { bodies } from './bodies.ts';
import { claimLinks } from './claim-links.ts';
import { connections } from './connections.ts';
import { fields } from './fields.ts';
import { files } from './files.ts';
import { json } from './json.ts';
import { keys } from './keys.ts';
import { numbers } from './numbers.ts';
import { paths } from './paths.ts';
import { queries } from './queries.ts';
import type { Section } from './row.ts';
import { signatures } from './signatures.ts';
import { text } from './text.ts';

/** All rows of bad input, in the order of docs/bad-input.md. */
export const sections: Section[] = [
  { title: 'JSON', rows: json },
  { title: 'Encodings and text', rows: text },
  { title: 'Content types and sizes', rows: bodies },
  { title: 'Numbers', rows: numbers },
  { title: 'Fields and their combinations', rows: fields },
  { title: 'Custom attributes', rows: attributeRows },
  { title: 'Addresses and contributors', rows: addresses },
  { title: 'Signatures', rows: signatures },
  { title: 'Claim links and codes', rows: claimLinks },
  { title: 'Paths', rows: paths },
  { title: 'Queries', rows: queries },
  { title: 'API keys', rows: keys },
  { title: 'Methods, headers and connections', rows: connections },
  { title: 'Files and forms', rows: files },
];
