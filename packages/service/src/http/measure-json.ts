const [QUOTE, BACKSLASH, COMMA] = Buffer.from('"\\,');
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = Buffer.from('[]{}');

/**
 * Counts the values of a JSON document (arrays, objects, texts, numbers and literals, but not names) and the levels
 * of its arrays and objects, in one pass over its bytes. Of other bytes the numbers mean nothing.
 */
export function measureJson(bytes: Buffer): { values: number; depth: number } {
  let values = 1;
  let level = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at += 1;
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === ARRAY || byte === OBJECT) {
      level += 1;
      depth = Math.max(depth, level);
      while (isWhiteSpace(bytes[at + 1])) at += 1;
      const next = bytes[at + 1];
      if (next !== ARRAY_END && next !== OBJECT_END) values += 1;
    } else if (byte === ARRAY_END || byte === OBJECT_END) {
      level -= 1;
    }
  }
  return { values, depth };
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
