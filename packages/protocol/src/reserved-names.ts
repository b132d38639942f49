import { CreateTokenBody, Token, WalletToken } from './schemas/token.ts';

/**
 * The names that a custom attribute cannot have: fields of token requests and responses, and parameters of
 * token lists. A name is compared with them after trimming, and without regard to case.
 */
export const RESERVED_ATTRIBUTE_NAMES: readonly string[] = [
  ...new Set([
    ...Object.keys(CreateTokenBody.properties),
    ...Object.keys(Token.properties),
    ...Object.keys(Token.properties.claimabilityAttributes.properties),
    ...Object.keys(WalletToken.properties),
    'isHidden',
    'limit',
    'offset',
    'order',
  ]),
];
