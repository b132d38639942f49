import { open, readFile } from 'node:fs/promises';
import { type TrustedIssuer, type Verification, verifyCredential } from '@badge/credentials';
import type { IssuerKeys } from '@badge/protocol';
import { readVerifyConfig } from '../config.ts';
import { createUrlReader, type ReadUrl } from '../delivery/url-reader.ts';

const MAX_FILE_BYTES = 32 * 2 ** 20;
const MAX_KEYS_BYTES = 2 ** 20;
// What is printed of a text or a list, which can have any length.
const MAX_SHOWN_CHARACTERS = 2_000;
const MAX_SHOWN_RESULTS = 50;

export interface VerifyArguments {
  /** A file, or `-` for the standard input. */
  file: string;
  /** Whose keys are trusted: a `did:key`, the URL of a list of `issuerKeys`, or a file with such a list. */
  issuers: string[];
  /** Whether nothing is read from the network. */
  isOffline: boolean;
}

/**
 * Verifies the credential in a file, and prints what it says. Returns 0 if it is valid; 1 if it is not, or if none of the
 * given issuers has signed it; 2 if this cannot be said.
 */
export async function verify({ file, issuers, isOffline }: VerifyArguments): Promise<number> {
  const readUrl = isOffline ? undefined : createUrlReader({ allowedRanges: readVerifyConfig().webhookAllow });
  const trustedIssuers: TrustedIssuer[] = [];
  for (const issuer of issuers) trustedIssuers.push(...(await readIssuer(issuer, readUrl)));
  const verification = await verifyCredential(await readBytes(file), {
    trustedIssuers,
    ...(readUrl === undefined ? {} : { fetchStatusList: readUrl }),
  });
  process.stdout.write(describe(verification, { hasIssuers: issuers.length > 0 }));
  if (verification.verdict === 'statusUnknown' || verification.verdict === 'unsupported') return 2;
  const isConfirmed = issuers.length === 0 || verification.content?.issuer.trusted != null;
  return verification.verdict === 'valid' && isConfirmed ? 0 : 1;
}

const HEADINGS: Record<Verification['verdict'], string> = {
  valid: 'VALID',
  revoked: 'REVOKED',
  expired: 'NOT VALID AT THIS TIME',
  changed: 'CHANGED',
  statusUnknown: 'STATUS UNKNOWN',
  notACredential: 'NOT A CREDENTIAL',
  unsupported: 'NOT SUPPORTED',
};

function describe(
  { verdict, reason, content }: Verification,
  { hasIssuers }: { hasIssuers: boolean },
): string {
  const lines = [`${HEADINGS[verdict]}: ${reason.detail}`];
  if (content !== null) {
    const { issuer, wallet, picture } = content;
    lines.push(
      `Badge:    ${content.name}`,
      ...(content.description === '' || content.description === content.name
        ? []
        : [`About:    ${content.description}`]),
      ...(content.narrative === '' ? [] : [`Criteria: ${content.narrative}`]),
      ...(content.criteriaUrl === null ? [] : [`Criteria: ${content.criteriaUrl}`]),
      ...content.results.slice(0, MAX_SHOWN_RESULTS).map(({ name, value }) => `Result:   ${name}: ${value}`),
      ...(content.results.length <= MAX_SHOWN_RESULTS
        ? []
        : [`          and ${content.results.length - MAX_SHOWN_RESULTS} more`]),
      `For:      ${wallet === null ? content.subjectId : `${wallet.address} (chain ${wallet.chainId})`}`,
      ...(content.awardedTimestamp === null
        ? []
        : [`Since:    ${new Date(content.awardedTimestamp).toISOString()}`]),
      ...(content.validUntilTimestamp === null
        ? []
        : [`Until:    ${new Date(content.validUntilTimestamp).toISOString()}`]),
      ...(picture === null || picture.url.startsWith('data:') ? [] : [`Picture:  ${picture.url}`]),
      `Issuer:   says that it is ${JSON.stringify(issuer.name)}`,
      `Key:      ${issuer.did}`,
      `          ${describeTrust(issuer.trusted, hasIssuers)}`,
    );
  }
  return `${lines.map(toPrintable).join('\n')}\n`;
}

function describeTrust(trusted: TrustedIssuer | null, hasIssuers: boolean): string {
  if (trusted !== null) return `confirmed: it is a key of ${trusted.name}`;
  return hasIssuers
    ? 'NOT CONFIRMED: none of the given issuers has this key'
    : 'not confirmed: anybody can take any name. Compare the key, with --issuer';
}

// The credential may contain characters that change what the terminal shows.
function toPrintable(line: string): string {
  const shown = line.length <= MAX_SHOWN_CHARACTERS ? line : `${line.slice(0, MAX_SHOWN_CHARACTERS)}…`;
  return shown.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

async function readIssuer(issuer: string, readUrl: ReadUrl | undefined): Promise<TrustedIssuer[]> {
  if (issuer.startsWith('did:')) return [{ did: issuer, name: 'the given issuer' }];
  const isUrl = /^https?:/i.test(issuer);
  if (isUrl && readUrl === undefined) throw new Error(`${issuer} cannot be read with --offline`);
  const text = isUrl && readUrl !== undefined ? await readKeys(issuer, readUrl) : await readFile(issuer);
  const { data } = JSON.parse(new TextDecoder().decode(text)) as Partial<IssuerKeys>;
  if (!Array.isArray(data)) throw new Error(`${issuer} is not a list of issuerKeys`);
  return data.map(({ did }) => ({ did: String(did), name: issuer, source: issuer }));
}

async function readKeys(url: string, readUrl: ReadUrl): Promise<Uint8Array> {
  try {
    return await readUrl(url, MAX_KEYS_BYTES);
  } catch (error) {
    throw new Error(`${url} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function readBytes(file: string): Promise<Uint8Array> {
  if (file !== '-') {
    await using handle = await open(file);
    const { size } = await handle.stat();
    if (size > MAX_FILE_BYTES) throw new Error(`${file} is too large for a credential`);
    return await handle.readFile();
  }
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
