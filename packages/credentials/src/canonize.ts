/// <reference path="./libraries.d.ts" />
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import jsonld from 'jsonld';
import { loadContext } from './contexts.ts';

/** A document has members that no context defines, so its signature does not cover them. */
export class UnsignedMembersError extends Error {
  override name = 'UnsignedMembersError';
}

/** A document would take too long to canonize. */
export class TooComplexError extends Error {
  override name = 'TooComplexError';
}

/** Returns the canonical N-Quads (RDFC-1.0) of a JSON-LD document. Loads nothing. */
export async function canonize(document: object): Promise<string> {
  try {
    return await jsonld.canonize(document, {
      documentLoader: loadContext,
      base: null,
      safe: true,
      rdfDirection: 'i18n-datatype',
      canonizeOptions: {
        algorithm: 'RDFC-1.0',
        // That of the library needs WebCrypto, which a page without TLS does not have.
        createMessageDigest,
        maxWorkFactor: 1,
      },
    });
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'jsonld.ValidationError') throw new UnsignedMembersError(message, { cause: error });
    if (message.startsWith('Maximum deep iterations')) throw new TooComplexError(message, { cause: error });
    throw error;
  }
}

function createMessageDigest() {
  const hash = sha256.create();
  return {
    update: (text: string) => {
      hash.update(new TextEncoder().encode(text));
    },
    digest: () => bytesToHex(hash.digest()),
  };
}
