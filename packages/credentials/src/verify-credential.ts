import { checkStatus } from './check-status.ts';
import { hasType, isObject, isWithin, type JsonObject } from './parse-json.ts';
import { findBakedCredential, isPng } from './png.ts';
import { canonizationProblem } from './problems.ts';
import { findTimestamp, hasUnreadableTime, readContent } from './read-content.ts';
import type { ReasonCode, Verdict, Verification, VerifyOptions } from './verification.ts';
import { findProofProblem } from './verify-proof.ts';

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
  const found = findJson(file);
  if (found.json === null) return nothing('pngWithoutCredential', 'The picture contains no credential.');
  const { json, format } = found;
  if (json.length > MAX_JSON_CHARACTERS) return nothing('tooLarge', 'The credential is too large.');
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(json.trim())) {
    return {
      ...nothing('isJwt', 'It is signed as a JWT, which cannot be verified here.', 'unsupported'),
      format,
      json,
    };
  }
  const credential = parse(json);
  if (credential === undefined) return nothing('notJson', 'The file is neither JSON nor a PNG.');
  if (!isObject(credential) || !hasType(credential, 'VerifiableCredential')) {
    return nothing('notACredential', 'The file is not a credential.');
  }
  if (!isWithin(credential, { maxValues: MAX_VALUES, maxDepth: MAX_DEPTH })) {
    return { ...nothing('tooComplex', 'It has too many values to be a badge.', 'unsupported'), format, json };
  }
  const nowTimestamp = options.nowTimestamp ?? Date.now();
  const content = readContent(credential, options.trustedIssuers ?? []);
  const { verdict, code, detail } =
    (await findProofProblem(credential).catch(canonizationProblem)) ??
    (await findOutcome(credential, { ...options, nowTimestamp }));
  return { verdict, reason: { code, detail }, format, content, json };
}

interface Outcome {
  verdict: Verdict;
  code: ReasonCode;
  detail: string;
}

// A revoked one is revoked, even if it would have expired.
async function findOutcome(
  credential: JsonObject,
  options: VerifyOptions & { nowTimestamp: number },
): Promise<Outcome> {
  const status = await checkStatus(credential, options);
  if (status.verdict === 'revoked') return status;
  if (hasUnreadableTime(credential)) {
    return {
      verdict: 'unsupported',
      code: 'timeUnsupported',
      detail: 'The time from or until when it is valid cannot be read.',
    };
  }
  const from = findTimestamp(credential.validFrom);
  const until = findTimestamp(credential.validUntil);
  if (until !== null && until < options.nowTimestamp) {
    return { verdict: 'expired', code: 'expired', detail: 'It was valid, and is no longer.' };
  }
  if (from !== null && from > options.nowTimestamp) {
    return { verdict: 'expired', code: 'notYetValid', detail: 'It is not valid yet.' };
  }
  return status;
}

function findJson(file: Uint8Array | string): { json: string | null; format: 'json' | 'png' } {
  if (typeof file === 'string') return { json: file, format: 'json' };
  if (isPng(file)) return { json: findBakedCredential(file), format: 'png' };
  return { json: new TextDecoder().decode(file), format: 'json' };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function nothing(code: ReasonCode, detail: string, verdict: Verdict = 'notACredential'): Verification {
  return { verdict, reason: { code, detail }, format: null, content: null, json: null };
}
