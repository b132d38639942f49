// The parameters of Punycode (RFC 3492).
const BASE = 36;
const MIN_THRESHOLD = 1;
const MAX_THRESHOLD = 26;
const SKEW = 38;
const DAMP = 700;

/**
 * Returns the letters of a label after its `xn--`, such as `bücher` for `bcher-kva`. Returns null if it
 * stands for none. Browsers have no function for it.
 */
export function decodePunycode(encoded: string): string | null {
  const lastHyphen = encoded.lastIndexOf('-');
  const codePoints = Array.from(encoded.slice(0, Math.max(lastHyphen, 0)), (one) => one.charCodeAt(0));
  let codePoint = 128;
  let place = 0;
  let bias = 72;
  for (let position = lastHyphen + 1; position < encoded.length; ) {
    const placeBefore = place;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = Number.parseInt(encoded[position] ?? '', BASE);
      if (Number.isNaN(digit)) return null;
      position += 1;
      // The digits of Punycode are a to z, then 0 to 9.
      const value = digit < 10 ? digit + 26 : digit - 10;
      place += value * weight;
      if (place > 0x7fffffff) return null;
      const threshold = Math.min(MAX_THRESHOLD, Math.max(MIN_THRESHOLD, k - bias));
      if (value < threshold) break;
      weight *= BASE - threshold;
    }
    const length = codePoints.length + 1;
    bias = adapt(place - placeBefore, length, placeBefore === 0);
    codePoint += Math.floor(place / length);
    place %= length;
    if (codePoint > 0x10ffff) return null;
    codePoints.splice(place, 0, codePoint);
    place += 1;
  }
  return String.fromCodePoint(...codePoints);
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - MIN_THRESHOLD) * MAX_THRESHOLD) / 2; k += BASE) {
    rest = Math.floor(rest / (BASE - MIN_THRESHOLD));
  }
  return k + Math.floor(((BASE - MIN_THRESHOLD + 1) * rest) / (rest + SKEW));
}
