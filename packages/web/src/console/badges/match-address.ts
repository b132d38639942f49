/**
 * Whether an address is meant by a text in lower case: any part of it, or its beginning and its end, as the
 * pages and wallets shorten it (`0x530e…0044`).
 */
export function matchesAddress(address: string, text: string): boolean {
  const digits = address.toLowerCase();
  const [start = '', end, ...others] = text.replaceAll(/\s/g, '').split(/…|\.{2,}/);
  if (end === undefined) return digits.includes(start);
  return others.length === 0 && digits.startsWith(start) && digits.endsWith(end);
}
