import { isText, LIMITS, parseEmailAddress } from '@badge/protocol';
import { hasRightChecksum, isAddress } from '../signatures/address.ts';
import type { Subject } from './arrival.ts';

/** A person, or what is wrong with the text, without the text itself. */
export type FoundSubject =
  | Exclude<Subject, { emailHash: string }>
  /** `isNobody`: the badge was burnt. */
  | { problem: string; isNobody?: boolean };

const DID_PKH = /^did:pkh:eip155:\d+:(0x[0-9a-f]{40})$/i;
// The wallets of burnt tokens. Nobody has a key of them.
const NOBODY = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x000000000000000000000000000000000000dead',
]);

/** Finds out who a text is: an address, an e-mail, an ENS name or a handle. */
export function findSubject(given: string): FoundSubject {
  const text = given.trim().replace(/^mailto:/i, '');
  const address = DID_PKH.exec(text)?.[1] ?? text;
  if (isAddress(address)) return findAddress(address);
  if (/^0x/i.test(text)) return { problem: 'begins with 0x but is not an address, which has 40 hex digits' };
  if (/^[0-9a-f]{40}$/i.test(text)) return findAddress(`0x${text}`);
  if (/^\d+([.,]\d+)?E\+?\d+$/i.test(text))
    return { problem: 'is a number that a spreadsheet has made of an address: export the column as text' };
  // A handle such as @ada@example.social begins with its sign.
  if (text.indexOf('@') > 0 && !/\s/.test(text)) {
    const email = parseEmailAddress(text);
    return typeof email === 'string' ? { problem: 'is no e-mail that can be read' } : { email: text };
  }
  if (text === '') return { problem: 'is empty' };
  if (!isText(text) || [...text].length > LIMITS.contributorCharacters)
    return { problem: `is no text of at most ${LIMITS.contributorCharacters} characters` };
  return { identifier: text };
}

function findAddress(address: string): FoundSubject {
  if (NOBODY.has(address.toLowerCase()))
    return { problem: 'is the address of burnt badges: nobody has it', isNobody: true };
  if (!hasRightChecksum(address))
    return { problem: 'is an address whose checksum is wrong: it was mistyped' };
  return { address };
}
