import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RequestError, SignInBody } from '@badge/protocol';
import { ParsedMessage } from '@spruceid/siwe-parser';
import type { Settings } from '../../context.ts';
import type { Encryption } from '../../encryption.ts';
import { type Address, parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { normaliseCode } from '../claim-links/rules.ts';
import { invalidRequest, Refusal } from '../refusal.ts';

export const CHALLENGE_VALID_MS = 10 * 60 * 1_000;
export const SESSION_VALID_MS = 12 * 60 * 60 * 1_000;
/** The session of an address that is a member of no community ends sooner, because anybody can make one. */
export const NON_MEMBER_SESSION_VALID_MS = 30 * 60 * 1_000;
/** One more ends the oldest one. docs/api.md states it. */
export const MAX_SESSIONS_PER_ADDRESS = 20;
/** One more ends a challenge for an e-mail address. */
export const MAX_WRONG_CODES = 5;
const RANDOM_BYTES = 16;
const MAC_BYTES = 16;

interface Challenge {
  address: Address;
  /** The chain of the wallet, if it is a contract. */
  chainId: number;
  random: string;
  issuedAt: Date;
}

/**
 * Makes an EIP-4361 message. Its nonce is a random number and a code that authenticates the whole message. So
 * the service recognizes its own challenges, and need not store them.
 */
export function makeChallenge(
  settings: Pick<Settings, 'publicUrl'>,
  key: Buffer,
  {
    address,
    chainId,
    random = randomBytes(RANDOM_BYTES).toString('hex'),
    issuedAt,
  }: Omit<Challenge, 'random'> & { random?: string },
): { message: string; expiresAt: Date } {
  const expiresAt = new Date(issuedAt.getTime() + CHALLENGE_VALID_MS);
  const write = (nonce: string) =>
    [
      `${new URL(settings.publicUrl).host} wants you to sign in with your Ethereum account:`,
      toChecksumAddress(address),
      '',
      'Sign in to the Badge Token Service.',
      '',
      `URI: ${settings.publicUrl}`,
      'Version: 1',
      `Chain ID: ${chainId}`,
      `Nonce: ${nonce}`,
      `Issued At: ${issuedAt.toISOString()}`,
      `Expiration Time: ${expiresAt.toISOString()}`,
    ].join('\n');
  const mac = createHmac('sha256', key).update(write(random)).digest().subarray(0, MAC_BYTES);
  return { message: write(random + mac.toString('hex')), expiresAt };
}

/**
 * Checks that a message is a challenge of this service that has not expired. Returns its address and its
 * nonce.
 */
export function checkChallenge(
  settings: Pick<Settings, 'publicUrl'>,
  { key, nowTimestamp }: { key: Buffer; nowTimestamp: number },
  message: string,
): { address: Address; chainId: number; nonce: string } {
  const parsed = parseMessage(message);
  const expected: [name: string, value: unknown, expected: unknown][] = [
    ['domain', parsed.domain, new URL(settings.publicUrl).host],
    ['URI', parsed.uri, settings.publicUrl],
    ['version', parsed.version, '1'],
  ];
  for (const [name, value, right] of expected) {
    if (value !== right) throw refuse(`The ${name} of the message is ${value}, not ${right}.`);
  }
  const { chainId } = parsed;
  const address = parseAddress(parsed.address);
  const issuedAt = new Date(parsed.issuedAt ?? '');
  if (Number.isNaN(issuedAt.getTime())) throw refuse(NOT_ISSUED);
  const random = parsed.nonce.slice(0, 2 * RANDOM_BYTES);
  const challenge = makeChallenge(settings, key, { address, chainId, random, issuedAt });
  if (!areEqual(challenge.message, message)) throw refuse(NOT_ISSUED);
  if (challenge.expiresAt.getTime() <= nowTimestamp) {
    throw refuse('The message has expired. Request another challenge.');
  }
  return { address, chainId, nonce: parsed.nonce };
}

export function challengeUsed(): Refusal {
  return refuse('This challenge was used before. Request another one.');
}

const NOT_ISSUED = 'The message is not a challenge of this service, or it was changed. Request another one.';

function refuse(detail: string): Refusal {
  return new Refusal('SignInRefused', detail);
}

function parseMessage(message: string): ParsedMessage {
  try {
    return new ParsedMessage(message);
  } catch {
    throw invalidRequest([{ pointer: '/message', detail: 'is not an EIP-4361 message' }]);
  }
}

/** The errors of a signIn body that its schema cannot express. */
export function findSignInErrors(body: unknown): RequestError[] {
  const { message = null, signature = null, challengeId = null, code = null } = (body ?? {}) as SignInBody;
  const byWallet = { message, signature };
  const byEmail = { challengeId, code };
  const isByEmail = challengeId !== null || code !== null;
  const [wanted, excluded] = isByEmail ? [byEmail, byWallet] : [byWallet, byEmail];
  const required = `is required: send ${isByEmail ? '' : 'message and signature, or '}challengeId and code`;
  return [
    ...fieldsOf(wanted, (value) => value === null).map((pointer) => ({ pointer, detail: required })),
    ...fieldsOf(excluded, (value) => value !== null).map((pointer) => ({
      pointer,
      detail: 'must not be sent with challengeId and code',
    })),
  ];
}

function fieldsOf(fields: object, isOne: (value: unknown) => boolean): string[] {
  return Object.entries(fields).flatMap(([field, value]) => (isOne(value) ? [`/${field}`] : []));
}

/** The hash by which a mailed code is found, however a person has typed it. */
export function hashSignInCode(encryption: Encryption, emailHash: Buffer, code: string): Buffer {
  return encryption.hash('signInCode', `${emailHash.toString('hex')} ${normaliseCode(code)}`);
}

function areEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
