import { checkStatus } from './check-status.ts';
import { UnreadableError } from './graph.ts';
import { hasType, isObject, isWithin } from './parse-json.ts';
import { findBakedCredentials, isPng } from './png.ts';
import { toProblem } from './problems.ts';
import { type ReadCredential, readCredential } from './read-credential.ts';
import type { CredentialContent, ReasonCode, Verdict, Verification, VerifyOptions } from './verification.ts';
import { readSigned } from './verify-proof.ts';

// Issuers put pictures into credentials as `data:` URLs, so a credential can be large. But one with many values is not a
// badge, and would take long.
const MAX_FILE_BYTES = 32 * 2 ** 20;
const MAX_JSON_CHARACTERS = 4 * 2 ** 20;
const MAX_VALUES = 2_000;
const MAX_DEPTH = 20;

/**
 * Verifies a credential of Open Badges 3.0 with a proof of `eddsa-rdfc-2022` and an issuer that is a `did:key`: JSON, or a
 * PNG that contains it. Reads nothing from the network but the status list, with `fetchStatusList`. Never rejects.
 *
 * @example
 * const { verdict, reason, content } = await verifyCredential(file, { trustedIssuers });
 */
export async function verifyCredential(
  file: Uint8Array | string,
  options: VerifyOptions = {},
): Promise<Verification> {
  if (file.length > MAX_FILE_BYTES) return nothing('tooLarge', 'The file is too large for a credential.');
  const isPicture = typeof file !== 'string' && isPng(file);
  const [text, ...others] = isPicture ? findBakedCredentials(file) : [toText(file)];
  // Programs differ in which one they read.
  if (others.length > 0) {
    return toResult(toProblem(new UnreadableError('the picture contains several credentials')), 'png');
  }
  if (text === undefined || text === null) {
    return nothing('pngWithoutCredential', 'The picture contains no credential.');
  }
  const format = isPicture ? 'png' : 'json';
  if (text.length > MAX_JSON_CHARACTERS) return nothing('tooLarge', 'The credential is too large.');
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text.trim())) {
    return unsupported('isJwt', 'It is signed as a JWT, which cannot be verified here.', format);
  }
  const document = parse(text);
  if (document === undefined) return nothing('notJson', 'The file is neither JSON nor a PNG.');
  // This only finds out whether it shall be a credential. What is signed decides.
  if (!isObject(document) || !hasType(document, 'VerifiableCredential')) {
    return nothing('notACredential', 'The file is not a credential.');
  }
  if (!isWithin(document, { maxValues: MAX_VALUES, maxDepth: MAX_DEPTH })) {
    return unsupported('tooComplex', 'It has too many values to be a badge.', format);
  }
  const signed = await readSigned(document);
  if ('verdict' in signed) return toResult(signed, format);
  try {
    const credential = readCredential(signed.graph);
    const nowTimestamp = options.nowTimestamp ?? Date.now();
    const outcome = await findOutcome(credential, { ...options, nowTimestamp });
    const { content, validity } = credential;
    if (validity === null) return toResult(outcome, format);
    const { did } = content.issuer;
    const trusted = options.trustedIssuers?.find((issuer) => issuer.did === did) ?? null;
    return toResult(outcome, format, { ...content, issuer: { ...content.issuer, trusted } });
  } catch (error) {
    return toResult(toProblem(error), format);
  }
}

interface Outcome {
  verdict: Verdict;
  code: ReasonCode;
  detail: string;
}

// A revoked one is revoked, even if it would have expired.
async function findOutcome(
  { content, validity, statusEntries }: ReadCredential,
  options: VerifyOptions & { nowTimestamp: number },
): Promise<Outcome> {
  const status = await checkStatus(statusEntries, content.issuer.did, options);
  if (status.verdict === 'revoked') return status;
  if (validity === null) {
    return {
      verdict: 'unsupported',
      code: 'timeUnsupported',
      detail: 'The time from or until when it is valid cannot be read.',
    };
  }
  const { from, until } = validity;
  if (until !== null && until < options.nowTimestamp) {
    return { verdict: 'expired', code: 'expired', detail: 'It was valid, and is no longer.' };
  }
  if (from !== null && from > options.nowTimestamp) {
    return { verdict: 'expired', code: 'notYetValid', detail: 'It is not valid yet.' };
  }
  return status;
}

function toText(file: Uint8Array | string): string {
  return typeof file === 'string' ? file : new TextDecoder().decode(file);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function nothing(code: ReasonCode, detail: string): Verification {
  return toResult({ verdict: 'notACredential', code, detail }, null);
}

function unsupported(code: ReasonCode, detail: string, format: Verification['format']): Verification {
  return toResult({ verdict: 'unsupported', code, detail }, format);
}

function toResult(
  { verdict, code, detail }: Outcome,
  format: Verification['format'],
  content: CredentialContent | null = null,
): Verification {
  return { verdict, reason: { code, detail }, format, content };
}
