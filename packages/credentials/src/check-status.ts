import {
  findId,
  findObject,
  findText,
  hasType,
  isObject,
  isWithin,
  type JsonObject,
  toArray,
} from './parse-json.ts';
import { canonizationProblem } from './problems.ts';
import { findTimestamp, hasUnreadableTime } from './read-content.ts';
import { decodeBits } from './status-list.ts';
import type { ReasonCode, VerifyOptions } from './verification.ts';
import { findProofProblem } from './verify-proof.ts';

/** A list of 64 million entries has 8 MiB, which gzip and base64 make at most a little larger. */
const MAX_LIST_BYTES = 12 * 2 ** 20;
const MAX_LIST_VALUES = 100;
const MAX_LIST_DEPTH = 10;
const MAX_ENTRIES = 8;

export interface Status {
  verdict: 'valid' | 'revoked' | 'statusUnknown';
  code: ReasonCode;
  detail: string;
}

const NOT_REVOKED: Status = {
  verdict: 'valid',
  code: 'notRevoked',
  detail: 'Its issuer has signed it, nobody has changed it, and it is not revoked.',
};
const NO_STATUS: Status = {
  verdict: 'valid',
  code: 'hasNoStatus',
  detail: 'Its issuer has signed it, and nobody has changed it. Its issuer keeps no list of revoked ones.',
};

/** Looks up whether a credential, whose proof is right, has been revoked or suspended. */
export async function checkStatus(
  credential: JsonObject,
  options: Required<Pick<VerifyOptions, 'nowTimestamp'>> & VerifyOptions,
): Promise<Status> {
  const entries = toArray(credential.credentialStatus);
  if (entries.length > MAX_ENTRIES) return unsupported();
  const did = findId(credential.issuer) ?? '';
  let found = NO_STATUS;
  for (const entry of entries) {
    const status = await checkEntry(isObject(entry) ? entry : {}, did, options);
    if (status?.verdict === 'revoked') return status;
    if (status?.verdict === 'statusUnknown' || found === NO_STATUS) found = status ?? found;
  }
  return found;
}

/** Returns null if the entry has another purpose than to take the credential away. */
async function checkEntry(
  entry: JsonObject,
  did: string,
  { fetchStatusList, nowTimestamp }: Required<Pick<VerifyOptions, 'nowTimestamp'>> & VerifyOptions,
): Promise<Status | null> {
  const { statusPurpose: purpose, statusListCredential: url, statusListIndex, statusSize = 1 } = entry;
  const index =
    typeof statusListIndex === 'string' && /^\d{1,9}$/.test(statusListIndex) ? Number(statusListIndex) : null;
  if (!hasType(entry, 'BitstringStatusListEntry') || typeof purpose !== 'string') return unsupported();
  // Any other purpose, such as `refresh` or `message`, takes nothing away.
  if (purpose !== 'revocation' && purpose !== 'suspension') return null;
  if (statusSize !== 1 || typeof url !== 'string' || index === null) return unsupported();
  if (fetchStatusList === undefined) {
    return unknown('offline', 'Whether it has been revoked since was not looked up.');
  }
  let body: Uint8Array | string;
  try {
    body = await fetchStatusList(url, MAX_LIST_BYTES);
  } catch (error) {
    return unknown(
      'statusListUnreachable',
      `The list of revoked ones could not be read: ${(error as Error).message}.`,
    );
  }
  const bits = await readBits(body, { url, did, purpose, nowTimestamp });
  if (typeof bits === 'string')
    return unknown('statusListInvalid', `The list of revoked ones is not valid: ${bits}`);
  const byte = bits[index >> 3];
  if (byte === undefined) return unknown('statusListInvalid', 'The list of revoked ones has no such entry.');
  if ((byte & (0x80 >> (index & 7))) === 0) return NOT_REVOKED;
  return purpose === 'revocation'
    ? { verdict: 'revoked', code: 'revoked', detail: 'Its issuer has revoked it.' }
    : { verdict: 'revoked', code: 'suspended', detail: 'Its issuer has suspended it.' };
}

/** Returns the bits of a list that the issuer has signed, or what is wrong with it. */
async function readBits(
  body: Uint8Array | string,
  { url, did, purpose, nowTimestamp }: { url: string; did: string; purpose: string; nowTimestamp: number },
): Promise<Uint8Array | string> {
  if (body.length > MAX_LIST_BYTES) return 'it is too large.';
  let list: unknown;
  try {
    list = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return 'it is not JSON.';
  }
  if (!isObject(list) || !isWithin(list, { maxValues: MAX_LIST_VALUES, maxDepth: MAX_LIST_DEPTH })) {
    return 'it is not a status list.';
  }
  if (!hasType(list, 'BitstringStatusListCredential')) return 'it is not a status list.';
  // Otherwise a server could send another list of the same issuer.
  if (list.id !== undefined && list.id !== url) return 'it is another list.';
  if (findId(list.issuer) !== did) return 'it is of another issuer.';
  if (hasUnreadableTime(list)) return 'it is not of this time.';
  const from = findTimestamp(list.validFrom);
  const until = findTimestamp(list.validUntil);
  if ((from ?? 0) > nowTimestamp || (until ?? nowTimestamp) < nowTimestamp) return 'it is not of this time.';
  const problem = await findProofProblem(list).catch(canonizationProblem);
  if (problem !== null) return problem.detail;
  const subject = findObject(list.credentialSubject);
  if (!toArray(subject.statusPurpose).includes(purpose)) return 'it has another purpose.';
  try {
    return await decodeBits(findText(subject.encodedList) ?? '');
  } catch (error) {
    return `${(error as Error).message}.`;
  }
}

function unsupported(): Status {
  return unknown('statusUnsupported', 'Its status is of a kind that cannot be read here.');
}

function unknown(code: ReasonCode, detail: string): Status {
  return { verdict: 'statusUnknown', code, detail };
}
