/**
 * Counts the values of a JSON document, and the levels of its arrays and objects, in one pass over its
 * bytes. Arrays, objects, strings, numbers and literals are values, names of fields are not. Stops when it
 * has counted more than `maxValues`. For bytes that are not JSON, the result is meaningless.
 */
export function measureJson(
  bytes: Buffer,
  maxValues = Number.POSITIVE_INFINITY,
): { values: number; depth: number } {
  const { length } = bytes;
  // The document itself is a value. Each comma, and each array or object that is not empty, adds one.
  let values = 1;
  let level = 0;
  let depth = 0;
  for (let index = 0; index < length && values <= maxValues; index += 1) {
    switch (bytes[index]) {
      case 0x22: // "
        index = findQuote(bytes, index + 1);
        break;
      case 0x2c: // ,
        values += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        level += 1;
        if (level > depth) depth = level;
        while (isWhiteSpace(bytes[index + 1])) index += 1;
        if (!isClosing(bytes[index + 1])) values += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        level -= 1;
    }
  }
  return { values, depth };
}

function findQuote(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let index = from;
  while (index < length && bytes[index] !== 0x22) index += bytes[index] === 0x5c ? 2 : 1; // \ escapes the next byte.
  return index;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isClosing(byte: number | undefined): boolean {
  return byte === 0x5d || byte === 0x7d;
}
