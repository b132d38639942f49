import { addresses } from './addresses.ts';
import { attributeRows } from './attributes.ts';
import { bodies } from './bodies.ts';
import { connections } from './connections.ts';
import { fields } from './fields.ts';
import { files } from './files.ts';
import { json } from './json.ts';
import { keys } from './keys.ts';
import { numbers } from './numbers.ts';
import { paths } from './paths.ts';
import { queries } from './queries.ts';
import type { Family } from './row.ts';
import { signatures } from './signatures.ts';
import { text } from './text.ts';

/** The table of bad input. */
export const families: Family[] = [
  { title: 'What is not one JSON object', rows: json },
  { title: 'Bytes and characters', rows: text },
  { title: 'Content types and sizes', rows: bodies },
  { title: 'Numbers', rows: numbers },
  { title: 'Fields and their combinations', rows: fields },
  { title: 'Custom attributes', rows: attributeRows },
  { title: 'Addresses and contributors', rows: addresses },
  { title: 'Signatures', rows: signatures },
  { title: 'Paths', rows: paths },
  { title: 'Queries', rows: queries },
  { title: 'Keys', rows: keys },
  { title: 'Methods, headers and connections', rows: connections },
  { title: 'Files and forms', rows: files },
];
