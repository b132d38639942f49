/**
 * Whether the code of an account (`eth_getCode`) is that of a contract. An account without code, or with only
 * zeros, is none. Code that begins with `ef0100` is delegated (EIP-7702): such an account still signs with
 * its key.
 */
export function isContractCode(code: unknown): boolean {
  return typeof code === 'string' && /^0x(?!0*$|ef0100)/i.test(code);
}
