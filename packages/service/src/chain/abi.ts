// The parts of the contract ABI that the service needs. https://docs.soliditylang.org/en/latest/abi-spec.html

const WORD_BYTES = 32;

/**
 * An argument: 20 bytes of an address and 32 bytes of a hash are one word; a text is encoded as its UTF-8
 * bytes.
 */
export type AbiArgument = { word: Uint8Array | number } | { bytes: Uint8Array };

/** Encodes arguments, in hex without 0x. */
export function encodeArguments(values: AbiArgument[]): string {
  const heads: Buffer[] = [];
  const tails: Buffer[] = [];
  let tailOffset = values.length * WORD_BYTES;
  for (const value of values) {
    if ('word' in value) {
      heads.push(toWord(value.word));
      continue;
    }
    const padding = Buffer.alloc((WORD_BYTES - (value.bytes.length % WORD_BYTES)) % WORD_BYTES);
    const tail = Buffer.concat([toWord(value.bytes.length), value.bytes, padding]);
    heads.push(toWord(tailOffset));
    tails.push(tail);
    tailOffset += tail.length;
  }
  return Buffer.concat([...heads, ...tails]).toString('hex');
}

/**
 * Reads the bytes of a dynamic value, whose head is the word at this position. Null if the data is malformed.
 */
export function decodeBytes(data: Buffer, headIndex: number): Buffer | null {
  const offset = readLength(data, headIndex * WORD_BYTES);
  if (offset === null) return null;
  const length = readLength(data, offset);
  if (length === null || offset + WORD_BYTES + length > data.length) return null;
  return data.subarray(offset + WORD_BYTES, offset + WORD_BYTES + length);
}

/** Reads an address, which is the word at this position. Null if the data is malformed. */
export function decodeAddress(data: Buffer, headIndex: number): Buffer | null {
  const word = data.subarray(headIndex * WORD_BYTES, (headIndex + 1) * WORD_BYTES);
  if (word.length < WORD_BYTES || word.subarray(0, 12).some((byte) => byte !== 0)) return null;
  return word.subarray(12);
}

function readLength(data: Buffer, position: number): number | null {
  if (position + WORD_BYTES > data.length) return null;
  const word = data.subarray(position, position + WORD_BYTES);
  if (word.subarray(0, WORD_BYTES - 4).some((byte) => byte !== 0)) return null;
  return word.readUInt32BE(WORD_BYTES - 4);
}

function toWord(value: Uint8Array | number): Buffer {
  const word = Buffer.alloc(WORD_BYTES);
  if (typeof value === 'number') word.writeBigUInt64BE(BigInt(value), WORD_BYTES - 8);
  else word.set(value, WORD_BYTES - value.length);
  return word;
}
