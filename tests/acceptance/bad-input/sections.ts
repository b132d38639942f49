import { addressRows } from './addresses.ts';
import { attributeRows } from './attributes.ts';
import { bodyRows } from './bodies.ts';
import { claimLinkRows } from './claim-links.ts';
import { connectionRows } from './connections.ts';
import { fieldRows } from './fields.ts';
import { fileRows } from './files.ts';
import { gateRows } from './gates.ts';
import { invitationRows } from './invitations.ts';
import { jsonRows } from './json.ts';
import { keyRows } from './keys.ts';
import { managedCreatorRows } from './managed-creators.ts';
import { numberRows } from './numbers.ts';
import { pathRows } from './paths.ts';
import { queryRows } from './queries.ts';
import type { Section } from './row.ts';
import { signatureRows } from './signatures.ts';
import { textRows } from './text.ts';
import { webhookRows } from './webhooks.ts';

/** All rows of bad input, in the order of the page. */
export const sections: Section[] = [
  { title: 'JSON', rows: jsonRows },
  { title: 'Encodings and text', rows: textRows },
  { title: 'Content types and sizes', rows: bodyRows },
  { title: 'Numbers', rows: numberRows },
  { title: 'Fields and their combinations', rows: fieldRows },
  { title: 'Custom attributes', rows: attributeRows },
  { title: 'Addresses and contributors', rows: addressRows },
  { title: 'Signatures', rows: signatureRows },
  { title: 'Claim links and codes', rows: claimLinkRows },
  { title: 'Invitations', rows: invitationRows },
  { title: 'Managed creators', rows: managedCreatorRows },
  { title: 'Gates', rows: gateRows },
  { title: 'Webhooks', rows: webhookRows },
  { title: 'Paths', rows: pathRows },
  { title: 'Queries', rows: queryRows },
  { title: 'API keys', rows: keyRows },
  { title: 'Methods, headers and connections', rows: connectionRows },
  { title: 'Files and forms', rows: fileRows },
];
