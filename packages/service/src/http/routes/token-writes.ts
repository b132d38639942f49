import type { ErrorName } from '@badge/protocol';
import Type, { type TSchema } from 'typebox';
import { acceptedResponse, problemResponses } from './route.ts';

export const TokenParams = Type.Object({ tokenId: Type.String() });

export const CLAIM_ERRORS: ErrorName[] = [
  'ClaimingAddressAlreadyHasToken',
  'TokenClaimExpired',
  'NoTokensLeft',
];

/** The schema of a call that asks for an operation on a token: its own errors beside those that all have. */
export function writeSchema<Body extends TSchema>(write: {
  operationId: string;
  summary: string;
  description?: string;
  body: Body;
  errors: ErrorName[];
}) {
  const { errors, ...documented } = write;
  return {
    ...documented,
    tags: ['Claims'],
    params: TokenParams,
    response: {
      202: acceptedResponse,
      ...problemResponses(
        'InvalidRequest',
        'InvalidSignature',
        'TokenNotFound',
        'TooLarge',
        'UnsupportedMediaType',
        ...errors,
      ),
    },
  };
}
