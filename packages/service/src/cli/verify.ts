import { open, readFile } from 'node:fs/promises';
import { type TrustedIssuer, type Verification, verifyCredential } from '@badge/credentials';
import type { IssuerKeys } from '@badge/protocol';

const MAX_FILE_BYTES = 32 * 2 ** 20;
const MAX_KEYS_BYTES = 2 ** 20;
const FETCH_MS = 10_000;

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
  const trustedIssuers: TrustedIssuer[] = [];
  for (const issuer of issuers) trustedIssuers.push(...(await readIssuer(issuer, isOffline)));
  const verification = await verifyCredential(await readBytes(file), {
    trustedIssuers,
    ...(isOffline ? {} : { fetchStatusList: fetchBytes }),
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
      ...content.results.map(({ name, value }) => `Result:   ${name}: ${value}`),
      `For:      ${wallet === null ? content.subjectId : `${wallet.address} (chain ${wallet.chainId})`}`,
      ...(content.awardedTimestamp === null
        ? []
        : [`Since:    ${new Date(content.awardedTimestamp).toISOString()}`]),
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
  return line.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

async function readIssuer(issuer: string, isOffline: boolean): Promise<TrustedIssuer[]> {
  if (issuer.startsWith('did:')) return [{ did: issuer, name: 'the given issuer' }];
  const isUrl = /^https?:/i.test(issuer);
  if (isUrl && isOffline) throw new Error(`${issuer} cannot be read with --offline`);
  const text = isUrl ? await fetchBytes(issuer, MAX_KEYS_BYTES) : await readFile(issuer);
  const { data } = JSON.parse(new TextDecoder().decode(text)) as Partial<IssuerKeys>;
  if (!Array.isArray(data)) throw new Error(`${issuer} is not a list of issuerKeys`);
  return data.map(({ did }) => ({ did: String(did), name: issuer, source: issuer }));
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

async function fetchBytes(url: string, maxBytes: number): Promise<Uint8Array> {
  if (!/^https?:/i.test(url)) throw new Error(`${url} is not an http or https URL`);
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok) throw new Error(`${url} returned ${response.status}`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > maxBytes) throw new Error(`${url} returned more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
