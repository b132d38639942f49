import { checkStatus } from './check-status.ts';
import { nameForeignCredential } from './foreign-kinds.ts';
import { openFile } from './open-file.ts';
import { isWithin, type JsonObject } from './parse-json.ts';
import { toProblem } from './problems.ts';
import { type ReadCredential, readCredential } from './read-credential.ts';
import type { CredentialContent, ReasonCode, Verdict, Verification, VerifyOptions } from './verification.ts';
import { readSigned } from './verify-proof.ts';

// A credential with many values is not a badge, and would take long.
const MAX_VALUES = 2_000;
const MAX_DEPTH = 20;

/**
 * Verifies a credential of Open Badges 3.0 with a proof of `eddsa-rdfc-2022` and an issuer that is a
 * `did:key`: JSON, or a PNG that contains it. Of a presentation, it verifies the credential, and not who
 * presents it. Reads nothing from the network but the status list, with `fetchStatusList`. Never rejects.
 *
 * @example
 * const { verdict, reason, content } = await verifyCredential(file, { trustedIssuers });
 */
export async function verifyCredential(
  file: Uint8Array | string,
  options: VerifyOptions = {},
): Promise<Verification> {
  const { format, presentation, ...opened } = openFile(file, options.index ?? 0);
  const outcome: Outcome =
    'problem' in opened ? opened.problem : await verifyDocument(opened.document, options);
  const { verdict, code, detail, kind = null, content = null } = outcome;
  return { verdict, reason: { code, detail, kind }, format, presentation, content };
}

async function verifyDocument(document: JsonObject, options: VerifyOptions): Promise<Outcome> {
  const foreign = nameForeignCredential(document);
  if (foreign !== undefined) return foreign;
  if (!isWithin(document, { maxValues: MAX_VALUES, maxDepth: MAX_DEPTH })) {
    return { verdict: 'unsupported', code: 'tooComplex', detail: 'It has too many values to be a badge.' };
  }
  const signed = await readSigned(document);
  if ('verdict' in signed) return signed;
  try {
    const credential = readCredential(signed.graph);
    const nowTimestamp = options.nowTimestamp ?? Date.now();
    const outcome = await findOutcome(credential, { ...options, nowTimestamp });
    const { content, validity } = credential;
    if (validity === null) return outcome;
    const { did } = content.issuer;
    const trusted = options.trustedIssuers?.find((issuer) => issuer.did === did) ?? null;
    return { ...outcome, content: { ...content, issuer: { ...content.issuer, trusted } } };
  } catch (error) {
    return toProblem(error);
  }
}

interface Outcome {
  verdict: Verdict;
  code: ReasonCode;
  detail: string;
  kind?: string | null;
  content?: CredentialContent;
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
