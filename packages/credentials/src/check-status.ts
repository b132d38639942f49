import { UnreadableError } from './graph.ts';
import { isObject, isWithin } from './parse-json.ts';
import { toProblem } from './problems.ts';
import { readValidity, type StatusEntry } from './read-credential.ts';
import { decodeBits, STATUS_LIST_ENTRIES } from './status-list.ts';
import type { ReasonCode, VerifyOptions } from './verification.ts';
import { readSigned, type Signed } from './verify-proof.ts';
import { IRIS, NOT_SHOWN } from './vocabulary.ts';

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

type StatusOptions = Required<Pick<VerifyOptions, 'nowTimestamp'>> & VerifyOptions;

/**
 * Looks up whether a credential with these entries, whose issuer has signed it, has been revoked or
 * suspended.
 */
export async function checkStatus(
  entries: StatusEntry[],
  did: string,
  options: StatusOptions,
): Promise<Status> {
  if (entries.length > MAX_ENTRIES) return unsupported();
  let found = NO_STATUS;
  for (const entry of entries) {
    const status = await checkEntry(entry, did, options);
    if (status?.verdict === 'revoked') return status;
    if (status?.verdict === 'statusUnknown' || found === NO_STATUS) found = status ?? found;
  }
  return found;
}

/** Returns null if the entry has another purpose than to take the credential away. */
async function checkEntry(
  entry: StatusEntry,
  did: string,
  { fetchStatusList, nowTimestamp }: StatusOptions,
): Promise<Status | null> {
  if (entry === null) return unsupported();
  if (!('listUrl' in entry)) return null;
  const { purpose, listUrl, index } = entry;
  if (fetchStatusList === undefined) {
    return unknown('offline', 'Whether it has been revoked since was not looked up.');
  }
  let body: Uint8Array | string;
  try {
    body = await fetchStatusList(listUrl, MAX_LIST_BYTES);
  } catch (error) {
    return unknown(
      'statusListUnreachable',
      `The list of revoked ones could not be read: ${(error as Error).message}.`,
    );
  }
  const bits = await readBits(body, { listUrl, did, purpose, nowTimestamp });
  if (typeof bits === 'string')
    return unknown('statusListInvalid', `The list of revoked ones is not valid: ${bits}`);
  const byte = bits[index >> 3];
  if (byte === undefined) return unknown('statusListInvalid', 'The list of revoked ones has no such entry.');
  if ((byte & (0x80 >> (index & 7))) === 0) return NOT_REVOKED;
  return purpose === 'revocation'
    ? { verdict: 'revoked', code: 'revoked', detail: 'Its issuer has revoked it.' }
    : { verdict: 'revoked', code: 'suspended', detail: 'Its issuer has suspended it.' };
}

interface Wanted {
  listUrl: string;
  did: string;
  purpose: string;
  nowTimestamp: number;
}

/** Returns the bits of a list that the issuer has signed, or what is wrong with it. */
async function readBits(body: Uint8Array | string, wanted: Wanted): Promise<Uint8Array | string> {
  if (body.length > MAX_LIST_BYTES) return 'it is too large.';
  let document: unknown;
  try {
    document = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return 'it is not JSON.';
  }
  if (!isObject(document) || !isWithin(document, { maxValues: MAX_LIST_VALUES, maxDepth: MAX_LIST_DEPTH })) {
    return 'it is not a status list.';
  }
  const signed = await readSigned(document);
  if ('verdict' in signed) return signed.detail;
  try {
    const list = readList(signed, wanted);
    if (typeof list === 'string') return list;
    const bits = await decodeBits(list.encodedList);
    return bits.length * 8 < STATUS_LIST_ENTRIES ? `it has fewer than ${STATUS_LIST_ENTRIES} entries.` : bits;
  } catch (error) {
    return error instanceof UnreadableError ? toProblem(error).detail : `${(error as Error).message}.`;
  }
}

/** Reads the signed statements of a list. Returns what is wrong with it, if it is not the wanted one. */
function readList({ graph, did }: Signed, wanted: Wanted): { encodedList: string } | string {
  if (did !== wanted.did) return 'it is of another issuer.';
  const document = graph.only(IRIS.BitstringStatusListCredential);
  // Otherwise a server could send another list of the same issuer.
  if (document.iri !== null && document.iri !== wanted.listUrl) return 'it is another list.';
  const validity = readValidity(document);
  const { from, until } = validity ?? { from: Number.POSITIVE_INFINITY, until: null };
  if ((from ?? 0) > wanted.nowTimestamp || (until ?? wanted.nowTimestamp) < wanted.nowTimestamp) {
    return 'it is not of this time.';
  }
  const list = document.thing(IRIS.credentialSubject);
  if (list === null || !list.classes.includes(IRIS.BitstringStatusList)) return 'it is not a status list.';
  const purposes = list.texts(IRIS.statusPurpose);
  const encodedList = list.text(IRIS.encodedList, [IRIS.multibase]) ?? '';
  const issuer = document.thing(IRIS.issuer);
  // What is left out of one of them would otherwise be left out of another one.
  if (issuer === document || issuer === list || document === list)
    return 'it says of one thing that it is two.';
  issuer?.leaveOut();
  document.leaveOut(NOT_SHOWN.statusList);
  list.leaveOut(NOT_SHOWN.statusList);
  graph.checkAllRead();
  return purposes.includes(wanted.purpose) ? { encodedList } : 'it has another purpose.';
}

function unsupported(): Status {
  return unknown('statusUnsupported', 'Its status is of a kind that cannot be read here.');
}

function unknown(code: ReasonCode, detail: string): Status {
  return { verdict: 'statusUnknown', code, detail };
}
