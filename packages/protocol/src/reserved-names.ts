import { CreateTokenBody, Token, WalletToken } from './schemas/token.ts';

/**
 * The names that a custom attribute cannot have: the fields of tokens, and the parameters of token lists. They are
 * compared after trimming and without case.
 */
export const RESERVED_ATTRIBUTE_NAMES: readonly string[] = [
  ...new Set([
    ...Object.keys(CreateTokenBody.properties),
    ...Object.keys(Token.properties),
    ...Object.keys(Token.properties.claimabilityAttributes.properties),
    ...Object.keys(WalletToken.properties),
    ...['isHidden', 'limit', 'offset', 'order'],
  ]),
];
