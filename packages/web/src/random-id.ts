/**
 * Makes a random id of 128 bits. Browsers have `crypto.randomUUID()` only on https pages and on localhost.
 */
export function makeRandomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
