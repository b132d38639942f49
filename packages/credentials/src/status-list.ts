import { decodeMultibase, encodeBase64Url } from './multibase.ts';
import { createProof, type Sign } from './proof.ts';
import { createStatements } from './statements.ts';
import { CREDENTIALS_CONTEXT, IRIS } from './vocabulary.ts';

/**
 * The entries of our lists: the fewest that Bitstring Status List 1.0 allows, so that an entry is one of
 * many.
 */
export const STATUS_LIST_ENTRIES = 131_072;
/** The most bytes of another issuer's list, unpacked: 64 million entries. */
const MAX_LIST_BYTES = 8 * 2 ** 20;

export interface StatusList {
  /** The URL of the list, which the credentials contain. */
  url: string;
  did: string;
  /** When the list began: ISO 8601 in whole seconds, UTC. */
  validFrom: string;
  /** When it was last changed, in the same form. */
  created: string;
  revokedIndexes: Iterable<number>;
}

/** Makes the signed list: a credential that says which credentials are revoked. */
export async function signStatusList(list: StatusList, sign: Sign): Promise<string> {
  const encodedList = await encodeBits(list.revokedIndexes);
  const proof = createProof(await canonizeStatusList(list, encodedList), {
    did: list.did,
    created: list.created,
    sign,
  });
  return JSON.stringify({ ...toStatusListDocument(list, encodedList), proof });
}

export function toStatusListDocument({ url, did, validFrom }: StatusList, encodedList: string) {
  return {
    '@context': [CREDENTIALS_CONTEXT],
    id: url,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: did,
    validFrom,
    credentialSubject: {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList,
    },
  };
}

/** The canonical N-Quads that jsonld makes of `toStatusListDocument`. */
export async function canonizeStatusList(
  { url, did, validFrom }: StatusList,
  encodedList: string,
): Promise<string> {
  const statements = createStatements();
  statements.add(
    { iri: url },
    [IRIS.VerifiableCredential, IRIS.BitstringStatusListCredential],
    [
      [IRIS.issuer, { iri: did }],
      [IRIS.validFrom, { text: validFrom, type: IRIS.dateTime }],
      [IRIS.credentialSubject, { iri: `${url}#list` }],
    ],
  );
  statements.add(
    { iri: `${url}#list` },
    [IRIS.BitstringStatusList],
    [
      [IRIS.statusPurpose, 'revocation'],
      [IRIS.encodedList, { text: encodedList, type: IRIS.multibase }],
    ],
  );
  return await statements.canonize();
}

/**
 * Returns the bits as Bitstring Status List 1.0 writes them: gzip, then base64url. Index 0 is the first bit
 * from the left.
 */
export async function encodeBits(setIndexes: Iterable<number>): Promise<string> {
  const bits = new Uint8Array(STATUS_LIST_ENTRIES / 8);
  for (const index of setIndexes) bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  const packed = await collect(
    toStream(bits).pipeThrough(new CompressionStream('gzip')),
    Number.POSITIVE_INFINITY,
  );
  return encodeBase64Url(packed);
}

/** Returns the bits of a list. Throws if they cannot be read, or if they are too many. */
export async function decodeBits(encodedList: string): Promise<Uint8Array> {
  const packed = decodeMultibase(encodedList);
  if (packed === undefined || !encodedList.startsWith('u')) throw new Error('the list is not base64url');
  return await collect(toStream(packed).pipeThrough(new DecompressionStream('gzip')), MAX_LIST_BYTES);
}

function toStream(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([Uint8Array.from(bytes)]).stream();
}

async function collect(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new Error(`the list has more than ${maxBytes} bytes`);
    }
    pieces.push(value);
  }
  const bytes = new Uint8Array(length);
  let position = 0;
  for (const piece of pieces) {
    bytes.set(piece, position);
    position += piece.length;
  }
  return bytes;
}
