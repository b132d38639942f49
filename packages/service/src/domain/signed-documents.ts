import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

// What a kept document costs besides its bytes.
const OVERHEAD_BYTES = 512;

/** A signed credential or status list as JSON. */
export interface SignedDocument {
  bytes: Buffer;
  /** Identifies the bytes. */
  hash: string;
}

/**
 * Returns a function that signs documents, and keeps those that were read last. A document is signed again if
 * its basis, which is all that changes its content, differs from that of the kept one.
 */
export function createSignedDocuments(
  maxKeptBytes: number,
): (id: string, basis: string, sign: () => Promise<string>) => Promise<SignedDocument> {
  const kept = new LRUCache<string, { basis: string; document: SignedDocument }>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ basis, document }) => document.bytes.length + basis.length + OVERHEAD_BYTES,
  });
  return async (id, basis, sign) => {
    const found = kept.get(id);
    if (found?.basis === basis) return found.document;
    const document = toSignedDocument(await sign());
    kept.set(id, { basis, document });
    return document;
  };
}

export function toSignedDocument(json: string): SignedDocument {
  const bytes = Buffer.from(json);
  return { bytes, hash: createHash('sha256').update(bytes).digest('base64url') };
}
