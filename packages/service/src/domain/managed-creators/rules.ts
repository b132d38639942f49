import { EIP712_TYPES, type RequestError } from '@badge/protocol';
import { Refusal } from '../refusal.ts';
import { findDateErrors, findSizeErrors } from '../tokens/rules.ts';

/**
 * Returns the errors of a message to sign that its schema cannot express. A message has exactly the fields of
 * its type, and a `Badge` obeys the rules of POST /v1/tokens. The body may violate the schema.
 */
export function findSigningErrors(body: unknown, communityId: string): RequestError[] {
  const { primaryType, message } = (body ?? {}) as { primaryType?: unknown; message?: unknown };
  if (primaryType !== 'Badge' && primaryType !== 'AllowlistedAddress') return [];
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return [];
  const fields = message as Record<string, unknown>;
  const errors = [
    ...findFieldErrors(primaryType, fields),
    ...(primaryType === 'Badge' ? findBadgeErrors(fields, communityId) : []),
  ];
  return errors.map(({ pointer, detail }) => ({ pointer: `/message${pointer}`, detail }));
}

type PointerError = Extract<RequestError, { pointer: string }>;

function findFieldErrors(
  primaryType: 'Badge' | 'AllowlistedAddress',
  message: Record<string, unknown>,
): PointerError[] {
  const names: string[] = EIP712_TYPES[primaryType].map(({ name }) => name);
  const otherType = primaryType === 'Badge' ? 'AllowlistedAddress' : 'Badge';
  return [
    ...names
      .filter((name) => !Object.hasOwn(message, name))
      .map((name) => ({ pointer: `/${name}`, detail: 'is required' })),
    ...EIP712_TYPES[otherType]
      .filter(({ name }) => Object.hasOwn(message, name))
      .map(({ name }) => ({ pointer: `/${name}`, detail: `is not a field of ${primaryType}` })),
  ];
}

function findBadgeErrors(message: Record<string, unknown>, communityId: string): PointerError[] {
  const { communityUniqId = communityId, isAllowlistRequired, totalClaimCount } = message;
  const errors = [...findDateErrors(message), ...findSizeErrors(message)] as PointerError[];
  if (communityUniqId !== communityId) {
    errors.push({ pointer: '/communityUniqId', detail: 'must be the id of the community in the path' });
  }
  if (isAllowlistRequired === false && totalClaimCount === 0) {
    errors.push({ pointer: '/totalClaimCount', detail: 'must be at least 1' });
  }
  if (isAllowlistRequired === true && totalClaimCount !== undefined && totalClaimCount !== 0) {
    errors.push({ pointer: '/totalClaimCount', detail: 'must be 0 when isAllowlistRequired is true' });
  }
  return errors;
}

export function managedCreatorNotFound(): Refusal {
  return new Refusal('ManagedCreatorNotFound', 'The community has no managed creator.');
}
