import { open, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import {
  type CredentialContent,
  type CredentialIdentity,
  matchesIdentity,
  type TrustedIssuer,
  type Verification,
  verifyCredential,
} from '@badge/credentials';
import { type IssuerKeys, spellEmailAddress } from '@badge/protocol';
import { readVerifyConfig } from '../config.ts';
import { createUrlReader, type ReadUrl } from '../delivery/url-reader.ts';
import { idOf, isArchive, verifyArchive } from './verify-archive.ts';

const MAX_FILE_BYTES = 32 * 2 ** 20;
const MAX_KEYS_BYTES = 2 ** 20;
// As many as the service returns at once, and how many pages of them are read.
const KEYS_PER_PAGE = 1_000;
const MAX_KEY_PAGES = 20;
// What is printed of a text or a list, which can have any length.
const MAX_SHOWN_CHARACTERS = 2_000;
const MAX_SHOWN_RESULTS = 50;
const MAX_SHOWN_IDENTITIES = 20;
const INDENT = ' '.repeat(10);
const MAX_COLUMNS = 68;
// White space, what controls a terminal, and letters that look blank.
const BLANKS = /[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+/gu;

export interface VerifyArguments {
  /** A file, or `-` for the standard input. */
  file: string;
  /** Whose keys are trusted: a `did:key`, the URL of a list of `issuerKeys`, or a file with such a list. */
  issuers: string[];
  /** An e-mail address that is compared with that of the credential. Null: none. */
  email: string | null;
  /** Whether nothing is read from the network. */
  isOffline: boolean;
  /** The files of status lists, which are then not read from the network. */
  statusLists: string[];
}

/**
 * Verifies the credential in a file, and prints what it says. Returns 0 if it is valid; 1 if it is not, if
 * none of the given issuers has signed it, or if it is not for the given e-mail address; 2 if this cannot be
 * said. Of a presentation, and of the archive of a community, all credentials are verified.
 */
export async function verify({
  file,
  issuers,
  email,
  isOffline,
  statusLists,
}: VerifyArguments): Promise<number> {
  const readUrl = isOffline ? undefined : createReader(issuers);
  const trustedIssuers: TrustedIssuer[] = [];
  for (const issuer of issuers) trustedIssuers.push(...(await readIssuer(issuer, readUrl)));
  if (await isArchive(file)) {
    if (email !== null) throw new Error('the credentials of an archive name nobody: leave out --email');
    return await verifyArchive(file, trustedIssuers);
  }
  const fetchStatusList = await createListReader(statusLists, readUrl);
  const bytes = await readBytes(file);
  const expected: Expected = {
    hasIssuers: issuers.length > 0,
    spellings: email === null ? null : spellEmailAddress(email),
  };
  const codes: number[] = [];
  for (let index = 0, count = 1; index < count; index += 1) {
    const verification = await verifyCredential(bytes, {
      index,
      trustedIssuers,
      ...(fetchStatusList === undefined ? {} : { fetchStatusList }),
    });
    // A presentation can have several.
    count = verification.presentation?.count ?? 1;
    process.stdout.write(describe(verification, expected));
    codes.push(toExitCode(verification, expected));
  }
  if (codes.includes(1)) return 1;
  return Math.max(...codes);
}

/** What the caller expects of a credential. */
interface Expected {
  hasIssuers: boolean;
  /** The spellings of the e-mail address that it is for. Null: it may be for anybody. */
  spellings: string[] | null;
}

function toExitCode({ verdict, content }: Verification, { hasIssuers, spellings }: Expected): number {
  if (verdict === 'statusUnknown' || verdict === 'unsupported') return 2;
  const isConfirmed = !hasIssuers || content?.issuer.trusted != null;
  if (verdict !== 'valid' || !isConfirmed) return 1;
  const isAddressed = spellings === null || isFor(content, spellings);
  return isAddressed === null ? 2 : isAddressed ? 0 : 1;
}

/** Whether a credential is for an e-mail address. Null: it has a hash that cannot be compared. */
function isFor(content: CredentialContent | null, spellings: string[]): boolean | null {
  const identities = content?.identities.filter(({ type }) => type === 'emailAddress') ?? [];
  const matches = identities.map((identity) => matchesIdentity(identity, spellings));
  if (matches.includes(true)) return true;
  return matches.includes(null) ? null : false;
}

/**
 * Reads the URLs that a file names. On this machine and its network, it reads only what the operator has
 * opened, and the origins that the operator has given as an address or as localhost. Others decide where any
 * other name leads.
 */
function createReader(issuers: string[]): ReadUrl {
  const { webhookAllow, publicUrl } = readVerifyConfig();
  const given = [publicUrl ?? '', ...issuers].filter((url) => isWebUrl(url) && URL.canParse(url));
  const readers = new Map<string, ReadUrl>();
  for (const { origin, hostname } of given.map((url) => new URL(url))) {
    const address = hostname.replace(/^\[|\]$/g, '');
    const opened = address === 'localhost' ? ['loopback'] : isIP(address) === 0 ? [] : [address];
    readers.set(origin, createUrlReader({ allowedRanges: [...webhookAllow, ...opened] }));
  }
  const readOther = createUrlReader({ allowedRanges: webhookAllow });
  return (url, maxBytes) => {
    const read = URL.canParse(url) ? readers.get(new URL(url).origin) : undefined;
    return (read ?? readOther)(url, maxBytes);
  };
}

/** Reads a status list from one of the files, or with `readUrl`. Undefined: there is no way to read any. */
async function createListReader(
  files: string[],
  readUrl: ReadUrl | undefined,
): Promise<((url: string, maxBytes: number) => Promise<Uint8Array>) | undefined> {
  if (files.length === 0) return readUrl;
  const lists = new Map<string, Uint8Array>();
  for (const file of files) {
    const list = await readBytes(file);
    lists.set(idOf(list), list);
  }
  return async (url, maxBytes) => {
    const list = lists.get(url) ?? (await readUrl?.(url, maxBytes));
    if (list === undefined) throw new Error('none of the given files is this list');
    return list;
  };
}

function isWebUrl(text: string): boolean {
  return /^https?:/i.test(text);
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
  { verdict, reason, presentation, content }: Verification,
  { hasIssuers, spellings }: Expected,
): string {
  const lines = [
    `${HEADINGS[verdict]}: ${reason.detail}`,
    ...(presentation === null
      ? []
      : [
          `In:       a presentation, credential ${presentation.index + 1} of ${presentation.count}`,
          '          Only the credential is verified, and not who presents it',
        ]),
  ];
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
      ...content.identities
        .slice(0, MAX_SHOWN_IDENTITIES)
        .flatMap((identity) => describeIdentity(identity, spellings)),
      ...(content.identities.length <= MAX_SHOWN_IDENTITIES
        ? []
        : [`          and ${content.identities.length - MAX_SHOWN_IDENTITIES} more`]),
      ...(content.awardedTimestamp === null
        ? []
        : [`Since:    ${new Date(content.awardedTimestamp).toISOString()}`]),
      ...(content.validUntilTimestamp === null
        ? []
        : [`Until:    ${new Date(content.validUntilTimestamp).toISOString()}`]),
      ...(picture === null || /^data:/i.test(picture.url) ? [] : [`Picture:  ${picture.url}`]),
      `Issuer:   says that it is ${JSON.stringify(issuer.name)}`,
      `Key:      ${issuer.did}`,
      `          ${describeTrust(issuer.trusted, hasIssuers)}`,
    );
  }
  return lines.flatMap(toRows).join('\n').concat('\n');
}

/** Who the credential says that it is for, besides the wallet. */
function describeIdentity(identity: CredentialIdentity, spellings: string[] | null): string[] {
  const { type, text, hash } = identity;
  const label =
    type === 'name' ? 'Name:     ' : type === 'emailAddress' ? 'Mail:     ' : `Person:   ${type}: `;
  const matches = type === 'emailAddress' && spellings !== null ? matchesIdentity(identity, spellings) : null;
  const remarks = [
    ...(hash === null ? ['signed by the issuer, but perhaps typed by the person'] : []),
    ...(hash !== null && hash.algorithm !== 'sha256' ? ['a hash of this kind cannot be compared'] : []),
    ...(type === 'emailAddress' && hash?.algorithm === 'sha256' && matches === null
      ? ['--email compares an address with it']
      : []),
    ...(matches === null ? [] : [matches ? 'it is the given address' : 'it is NOT the given address']),
  ];
  return [
    `${label}${text ?? `only a hash (${hash?.algorithm ?? 'of another kind'})`}`,
    ...remarks.map((remark) => INDENT + remark),
  ];
}

function describeTrust(trusted: TrustedIssuer | null, hasIssuers: boolean): string {
  if (trusted !== null) return `confirmed: it is a key of ${trusted.name}`;
  return hasIssuers
    ? 'NOT CONFIRMED: none of the given issuers has this key'
    : 'not confirmed: anybody can take any name. Compare the key, with --issuer';
}

/**
 * The rows of a line. The credential may contain characters that change what the terminal shows, or so many
 * blanks that a part of a text looks like a line of its own. So only the first row has a label, and no row is
 * wider than a terminal.
 */
function toRows(line: string): string[] {
  const label = /^[A-Z][a-z]+: {2,}|^Criteria: |^ +/.exec(line)?.[0].slice(0, INDENT.length) ?? '';
  const shown = line.slice(label.length).replaceAll(BLANKS, ' ').trim();
  const text = shown.length <= MAX_SHOWN_CHARACTERS ? shown : `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…`;
  const rows: string[] = [];
  let row = '';
  let columns = 0;
  for (const character of text) {
    const width = widthOf(character);
    if (columns + width > MAX_COLUMNS) {
      const end = row.lastIndexOf(' ') > MAX_COLUMNS / 2 ? row.lastIndexOf(' ') : row.length;
      rows.push(row.slice(0, end));
      row = row.slice(end + 1);
      columns = widthOf(row);
    }
    row += character;
    columns += width;
  }
  return [...rows, row].map((part, index) => (index === 0 ? label : INDENT) + part);
}

function widthOf(text: string): number {
  // Many of these are as wide as two.
  return [...text].reduce((width, character) => width + (character >= '\u1100' ? 2 : 1), 0);
}

async function readIssuer(issuer: string, readUrl: ReadUrl | undefined): Promise<TrustedIssuer[]> {
  if (issuer.startsWith('did:')) return [{ did: issuer, name: 'the given issuer' }];
  const isUrl = isWebUrl(issuer);
  if (isUrl && readUrl === undefined) throw new Error(`${issuer} cannot be read with --offline`);
  const dids =
    isUrl && readUrl !== undefined
      ? await readAllKeys(issuer, readUrl)
      : parseKeys(issuer, await readFile(issuer));
  return dids.map((did) => ({ did, name: issuer, source: issuer }));
}

/**
 * Reads all pages of a list. A file on another server ignores the offset, so a page without a new key is the
 * last one.
 */
async function readAllKeys(url: string, readUrl: ReadUrl): Promise<string[]> {
  const dids = new Set<string>();
  const pageUrl = new URL(url);
  const start = Number(pageUrl.searchParams.get('offset') ?? 0);
  for (let page = 0; page < MAX_KEY_PAGES; page += 1) {
    const found = parseKeys(url, await readKeys(pageUrl.href, readUrl));
    const knownCount = dids.size;
    for (const did of found) dids.add(did);
    if (found.length < KEYS_PER_PAGE || dids.size === knownCount) break;
    pageUrl.searchParams.set('limit', String(KEYS_PER_PAGE));
    pageUrl.searchParams.set('offset', String(start + (page + 1) * KEYS_PER_PAGE));
  }
  return [...dids];
}

async function readKeys(url: string, readUrl: ReadUrl): Promise<Uint8Array> {
  try {
    return await readUrl(url, MAX_KEYS_BYTES);
  } catch (error) {
    throw new Error(`${url} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function parseKeys(source: string, text: Uint8Array): string[] {
  const { data } = JSON.parse(new TextDecoder().decode(text)) as Partial<IssuerKeys>;
  if (!Array.isArray(data)) throw new Error(`${source} is not a list of issuerKeys`);
  return data.map(({ did }) => String(did));
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
