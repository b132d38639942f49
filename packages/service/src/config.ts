import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parse as parseConnectionString } from 'pg-connection-string';
import type { SmtpServer } from './mail/mail-transport.ts';
import type { Mailbox } from './mail/mailbox.ts';
import { readSecretFile, type SecretKind } from './secret-file.ts';
import { nameFiles, resolveSecretVariables, type SecretFile } from './secret-variables.ts';
import { describeUnknownVariable, findUnknownVariables, type UnknownVariable } from './unknown-variables.ts';

export type EnvironmentName = 'sandbox' | 'production';
export type Role = 'all' | 'api' | 'worker';
const DEFAULT_PORT = 3000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Config {
  /** Undefined for a worker without `PORT`, which does not listen. */
  port: number | undefined;
  host: string;
  /**
   * Without a trailing slash. If undefined, the service uses `http://localhost:PORT` once it knows its port.
   */
  publicUrl: string | undefined;
  /** Without a trailing slash. If undefined, the service uses `/images` under its public URL. */
  imageUrl: string | undefined;
  /**
   * The base of the URLs of status lists, without a trailing slash. If undefined, `/status` under the public
   * URL.
   */
  statusUrl: string | undefined;
  environment: EnvironmentName;
  chainId: number;
  verifyingContract: string;
  /** Whether a variable sets the environment, the chain or the contract. */
  isDeploymentSet: boolean;
  databaseUrl: string | undefined;
  /** The address of a pooler in transaction mode in front of the database. */
  poolerUrl: string | undefined;
  /** How long a start waits for a database server that cannot be used yet. */
  databaseWaitMs: number;
  /** An absolute path. */
  dataDir: string;
  /** The operator's keys, each of which is valid: none, one, or two during a rotation. */
  adminKeys: string[];
  /** The keys that may only read the metrics: none, one, or two during a rotation. */
  metricsKeys: string[];
  demoApiKey: string | undefined;
  /** The seed of the managed creators. A worker has none. */
  creatorSeed: KeyObject | undefined;
  /** The seed of the keys that sign credentials. A worker has none. */
  issuerSeed: KeyObject | undefined;
  /** The seed of the addresses at which badges are kept for people without a wallet. A worker has none. */
  holderSeed: KeyObject | undefined;
  /** Encrypts what the database stores. Every role needs it. */
  encryptionKey: KeyObject | undefined;
  /** An absolute path: what the backups write about themselves. Undefined if nobody watches them here. */
  backupStatusFile: string | undefined;
  /** The mail server. Undefined if no mails can be sent. */
  smtpServer: SmtpServer | undefined;
  /** The sender of all mails. Its name can be empty. */
  mailFrom: Mailbox | undefined;
  /** How many mails a community may send; null: no limit. */
  mailLimit: { perHour: number; perDay: number } | null;
  /** Requests per second; null: no limit. */
  rateLimit: { perKey: number; perAddress: number } | null;
  /** The maximum total size of the files of a community's NFT types. */
  storageQuotaBytes: number;
  /** The maximum number of connections that an address may have open. */
  maxConnectionsPerAddress: number;
  /** The maximum size of the picture cache on disk. 0 disables this cache. */
  pictureCacheBytes: number;
  /** The proxies whose `X-Forwarded-For` is used: addresses, ranges, or names of ranges. */
  trustProxy: string[];
  /** Where webhooks may lead besides the internet: addresses, ranges, or names of ranges. */
  webhookAllow: string[];
  /** The endpoints that are asked about contract wallets. The URLs can contain keys. */
  chainEndpoints: ChainEndpoints[];
  /** The URLs that are asked about ENS names, in order. They can contain keys. */
  ensEndpoints: string[];
  /** Variables that look as if they were meant for the service. */
  unknownVariables: UnknownVariable[];
  /** The files that values were read from. */
  secretFiles: SecretFile[];
  role: Role;
  logLevel: (typeof LOG_LEVELS)[number];
}

/** The URLs of one chain, in the order in which they are asked. */
export interface ChainEndpoints {
  chainId: number;
  urls: string[];
}

/** Thrown if environment variables are invalid. Each error begins with the name of one of them. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly errors: string[];

  constructor(errors: string[]) {
    super(errors.join('; '));
    this.errors = errors;
  }
}

const CHAIN_IDS: Record<EnvironmentName, number> = { sandbox: 80001, production: 137 };
const EXAMPLE_CONTRACT = '0x1000000000000000000000000000000000000001';
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const KEY_RULE = '16 to 256 visible ASCII characters';
const KEYS_RULE = `${KEY_RULE}, or two such keys that differ, on a line each`;
const DEFAULT_RATE_LIMITS = { sandbox: null, production: { perKey: 100, perAddress: 50 } };
const MAX_RATE = 1_000_000;
// An account of a usual mail provider may send about 2,000 mails a day.
const DEFAULT_MAIL_LIMIT = { perHour: 500, perDay: 2_000 };
const MAX_MAILS = 1_000_000;
const DEFAULT_CONNECTIONS_PER_ADDRESS = 1_000;
const MAX_CONNECTIONS = 10_000;
// Longer than a failover, which takes about 20 seconds with the settings of docs/guides/high-availability.md.
const DEFAULT_DATABASE_WAIT_SECONDS = 60;
const MAX_DATABASE_WAIT_SECONDS = 86_400;
const DEFAULT_STORAGE_QUOTA_BYTES = 1024 ** 3;
const DEFAULT_PICTURE_CACHE_BYTES = 512 * 1024 ** 2;
const MAX_ENDPOINTS_PER_CHAIN = 4;
const BYTE_RULE = 'a number of bytes, such as "1GiB", "500MB" or "1073741824"';
const BYTE_UNITS: Record<string, number> = {
  B: 1,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  TB: 1000 ** 4,
  KIB: 1024,
  MIB: 1024 ** 2,
  GIB: 1024 ** 3,
  TIB: 1024 ** 4,
};
// Other parameters could weaken durability, isolation or timeouts, or the driver would ignore them.
const DATABASE_URL_PARAMETERS = [
  'host',
  'port',
  'user',
  'password',
  'ssl',
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'sslnegotiation',
  'uselibpqcompat',
  'application_name',
  // These two are allowed, although they have no effect, because the URLs of hosted databases contain them.
  'channel_binding',
  'connect_timeout',
];
const INVALID_URL =
  'must be a valid URL. In the user, the password and the parameters, write special characters percent-encoded, such as %40 for @ and %2F for /';
const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal'];
const RANGES_RULE = `a comma-separated list of addresses, ranges such as 10.0.0.0/8, or ${NAMED_RANGES.join(', ')}`;

type Environment = Record<string, string | undefined>;
type ReadConfig = Omit<Config, 'unknownVariables'>;

/**
 * Reads the configuration from environment variables, and from the files that they name. An empty variable
 * counts as absent.
 */
export function readConfig(env: Environment = process.env): Config {
  const errors: string[] = [];
  const config = {
    ...readVariables(env, errors),
    unknownVariables: findUnknownVariables(env, listKnownVariables()),
  };
  // A misspelt variable can be the reason why another one is missing.
  if (errors.length > 0) {
    throw new ConfigError([...errors, ...config.unknownVariables.map(describeUnknownVariable)]);
  }
  return config;
}

// Every variable is read, whatever the others are, so an empty environment is asked for all of them.
function listKnownVariables(): ReadonlySet<string> {
  const names = new Set<string>();
  const env = new Proxy<Environment>({}, { get: (_, name) => void names.add(String(name)) });
  readVariables(env, []);
  return names;
}

/** Reads each variable, and adds what is wrong to `errors`. */
function readVariables(environment: Environment, errors: string[]): ReadConfig {
  const { env, files, errors: fileErrors } = resolveSecretVariables(environment);
  const found: string[] = [];
  const read = createVariableReader(env, found);
  const role =
    read('BADGE_ROLE', oneOf(['all', 'api', 'worker'] as const), '"all", "api" or "worker"') ?? 'all';
  const deployment = readDeployment(env, read);
  const config: ReadConfig = {
    ...deployment,
    ...readAddresses(read, role),
    ...readDatabase(env, read),
    adminKeys: read('BADGE_ADMIN_KEY', parseKeys, KEYS_RULE) ?? [],
    metricsKeys: read('BADGE_METRICS_KEY', parseKeys, KEYS_RULE) ?? [],
    demoApiKey: read('BADGE_DEMO_API_KEY', parseKey, KEY_RULE),
    creatorSeed: role === 'worker' ? undefined : readSecret('BADGE_CREATOR_SEED_FILE', 'a seed', env, found),
    issuerSeed: role === 'worker' ? undefined : readSecret('BADGE_ISSUER_SEED_FILE', 'a seed', env, found),
    holderSeed: role === 'worker' ? undefined : readSecret('BADGE_HOLDER_SEED_FILE', 'a seed', env, found),
    encryptionKey: readSecret('BADGE_ENCRYPTION_KEY_FILE', 'an encryption key', env, found),
    ...readMail(read),
    ...readLimits(read, deployment.environment),
    webhookAllow: readWebhookAllow(read, deployment.environment),
    ...readChains(read),
    dataDir: resolve(env.BADGE_DATA_DIR || 'data'),
    backupStatusFile: env.BADGE_BACKUP_STATUS_FILE ? resolve(env.BADGE_BACKUP_STATUS_FILE) : undefined,
    secretFiles: files,
    role,
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS), `one of ${LOG_LEVELS.join(', ')}`) ?? 'info',
  };
  found.push(...findContractErrors(config, env));
  // A value that cannot be read is not missing.
  if (fileErrors.length === 0) {
    found.push(...findDatabaseErrors(config), ...findKeyErrors(config, env), ...findMailErrors(config, env));
  }
  errors.push(...fileErrors, ...nameFiles(found, files));
  return config;
}

/** The bases of absolute URLs, without a trailing slash. */
export function urlsOf({
  publicUrl,
  imageUrl,
  statusUrl,
  port,
}: Pick<Config, 'publicUrl' | 'imageUrl' | 'statusUrl' | 'port'>): {
  publicUrl: string;
  imageUrl: string;
  statusUrl: string;
} {
  const base = publicUrl ?? `http://localhost:${port ?? DEFAULT_PORT}`;
  return {
    publicUrl: base,
    imageUrl: imageUrl ?? `${base}/images`,
    statusUrl: statusUrl ?? `${base}/status`,
  };
}

/**
 * Reads the variables of `verify`, which needs no other one: the ranges of addresses that it may reach
 * besides the internet, and the URL of the own service. Nothing is open by default, because a file can name
 * any URL. Throws a `ConfigError`.
 */
export function readVerifyConfig(env: Environment = process.env): Pick<Config, 'webhookAllow' | 'publicUrl'> {
  const errors: string[] = [];
  const read = createVariableReader(env, errors);
  const webhookAllow = readWebhookAllow(read, 'production');
  const publicUrl = readPublicUrl(read);
  if (errors.length > 0) throw new ConfigError(errors);
  return { webhookAllow, publicUrl };
}

/**
 * Returns the parsed value of a variable; undefined if the variable is absent, or invalid, which is an error.
 */
type ReadVariable = <T>(
  name: string,
  parse: (text: string) => T | undefined,
  expected: string,
) => T | undefined;

function createVariableReader(env: Environment, errors: string[]): ReadVariable {
  return (name, parse, expected) => {
    const text = env[name];
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value === undefined) errors.push(`${name} must be ${expected}`);
    return value;
  };
}

function readDeployment(
  env: Environment,
  read: ReadVariable,
): Pick<Config, 'environment' | 'chainId' | 'verifyingContract' | 'isDeploymentSet'> {
  const environment =
    read('BADGE_ENVIRONMENT', oneOf(['sandbox', 'production'] as const), '"sandbox" or "production"') ??
    'sandbox';
  const parseChainId = (text: string) => parseInteger(text, 1, Number.MAX_SAFE_INTEGER);
  return {
    environment,
    chainId: read('BADGE_CHAIN_ID', parseChainId, 'a positive integer') ?? CHAIN_IDS[environment],
    verifyingContract:
      read('BADGE_VERIFYING_CONTRACT', parseContract, '0x and 40 hex digits') ?? EXAMPLE_CONTRACT,
    isDeploymentSet: Boolean(env.BADGE_ENVIRONMENT || env.BADGE_CHAIN_ID || env.BADGE_VERIFYING_CONTRACT),
  };
}

/** Whether other machines can connect to the service. */
export function isReachable({ host }: Pick<Config, 'host'>): boolean {
  return !/^(127\.|localhost$|::1$)/.test(host);
}

function readAddresses(
  read: ReadVariable,
  role: Role,
): Pick<Config, 'port' | 'host' | 'publicUrl' | 'imageUrl' | 'statusUrl' | 'trustProxy'> {
  const parsePort = (text: string) => parseInteger(text, 0, 65_535);
  return {
    port: read('PORT', parsePort, 'a port, 0 to 65535') ?? (role === 'worker' ? undefined : DEFAULT_PORT),
    host: read('HOST', (text) => text, 'a host name or address') ?? '127.0.0.1',
    publicUrl: readPublicUrl(read),
    imageUrl: read('IMAGE_URL', parseBaseUrl, 'an http or https URL without query or fragment'),
    statusUrl: read('BADGE_STATUS_URL', parseBaseUrl, 'an http or https URL without query or fragment'),
    trustProxy: read('BADGE_TRUST_PROXY', parseRanges, RANGES_RULE) ?? [],
  };
}

function readPublicUrl(read: ReadVariable): string | undefined {
  return read('PUBLIC_URL', parseBaseUrl, 'an http or https URL without query or fragment');
}

// In the sandbox, developers receive events on their own machine.
function readWebhookAllow(read: ReadVariable, environment: EnvironmentName): string[] {
  const parse = (text: string) => (text === 'none' ? [] : parseRanges(text));
  const ranges = read('BADGE_WEBHOOK_ALLOW', parse, `"none" or ${RANGES_RULE}`);
  return ranges ?? (environment === 'sandbox' ? ['loopback'] : []);
}

function readChains(read: ReadVariable): Pick<Config, 'chainEndpoints' | 'ensEndpoints'> {
  return {
    chainEndpoints:
      read(
        'BADGE_CHAIN_RPC_URLS',
        parseChainEndpoints,
        `a list such as "1=https://node.example/KEY, 8453=https://base.example": http or https URLs with the id of their chain before, up to ${MAX_ENDPOINTS_PER_CHAIN} for each chain`,
      ) ?? [],
    ensEndpoints:
      read(
        'BADGE_ENS_RPC_URL',
        parseEndpoints,
        `an http or https URL of an endpoint of Ethereum, or up to ${MAX_ENDPOINTS_PER_CHAIN}, separated by commas`,
      ) ?? [],
  };
}

function readDatabase(
  env: Environment,
  read: ReadVariable,
): Pick<Config, 'databaseUrl' | 'poolerUrl' | 'databaseWaitMs'> {
  const waitSeconds = read(
    'BADGE_DATABASE_WAIT',
    (text) => parseInteger(text, 0, MAX_DATABASE_WAIT_SECONDS),
    `a number of seconds, 0 to ${MAX_DATABASE_WAIT_SECONDS}`,
  );
  return {
    databaseUrl: env.DATABASE_URL || undefined,
    poolerUrl: env.BADGE_POOLER_URL || undefined,
    databaseWaitMs: 1_000 * (waitSeconds ?? DEFAULT_DATABASE_WAIT_SECONDS),
  };
}

function readSecret(
  name: string,
  kind: SecretKind,
  env: Environment,
  errors: string[],
): KeyObject | undefined {
  const file = env[name];
  if (!file) return undefined;
  try {
    return readSecretFile(resolve(file), kind);
  } catch (error) {
    errors.push(`${name} cannot be used: ${(error as Error).message}`);
    return undefined;
  }
}

function readMail(read: ReadVariable): Pick<Config, 'smtpServer' | 'mailFrom' | 'mailLimit'> {
  const mailLimit = read(
    'BADGE_MAIL_LIMIT',
    parseMailLimit,
    `"off" or HOUR/DAY in mails of a community, each from 1 to ${MAX_MAILS}, such as "500/2000"`,
  );
  return {
    smtpServer: read(
      'BADGE_SMTP_URL',
      parseSmtpUrl,
      'smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host if the server needs them; write special characters in them percent-encoded',
    ),
    mailFrom: read(
      'BADGE_MAIL_FROM',
      parseMailbox,
      'an e-mail address such as badges@example.org, or a name and an address such as "Badges <badges@example.org>"',
    ),
    // Null means "off"; undefined means absent.
    mailLimit: mailLimit === undefined ? DEFAULT_MAIL_LIMIT : mailLimit,
  };
}

function readLimits(
  read: ReadVariable,
  environment: EnvironmentName,
): Pick<Config, 'rateLimit' | 'maxConnectionsPerAddress' | 'storageQuotaBytes' | 'pictureCacheBytes'> {
  const rateLimit = read(
    'BADGE_RATE_LIMIT',
    parseRateLimit,
    `"off" or KEY/ADDRESS in requests per second, each from 1 to ${MAX_RATE}, such as "100/50"`,
  );
  const maxConnectionsPerAddress = read(
    'BADGE_MAX_CONNECTIONS_PER_ADDRESS',
    (text) => parseInteger(text, 1, MAX_CONNECTIONS),
    `a number from 1 to ${MAX_CONNECTIONS}`,
  );
  return {
    // Null means "off"; undefined means absent.
    rateLimit: rateLimit === undefined ? DEFAULT_RATE_LIMITS[environment] : rateLimit,
    maxConnectionsPerAddress: maxConnectionsPerAddress ?? DEFAULT_CONNECTIONS_PER_ADDRESS,
    storageQuotaBytes: read('BADGE_STORAGE_QUOTA', parseBytes, BYTE_RULE) ?? DEFAULT_STORAGE_QUOTA_BYTES,
    pictureCacheBytes: read('BADGE_PICTURE_CACHE', parseBytes, BYTE_RULE) ?? DEFAULT_PICTURE_CACHE_BYTES,
  };
}

function findContractErrors({ environment }: ReadConfig, env: Environment): string[] {
  if (environment !== 'production') return [];
  if (!env.BADGE_VERIFYING_CONTRACT) return ['BADGE_VERIFYING_CONTRACT must be set in production'];
  // An invalid contract already has its error.
  const contract = parseContract(env.BADGE_VERIFYING_CONTRACT);
  return contract === EXAMPLE_CONTRACT || contract === ZERO_ADDRESS
    ? ['BADGE_VERIFYING_CONTRACT must be your own contract in production']
    : [];
}

function findDatabaseErrors({ databaseUrl, poolerUrl }: ReadConfig): string[] {
  const errors: string[] = [];
  for (const [name, url] of Object.entries({ DATABASE_URL: databaseUrl, BADGE_POOLER_URL: poolerUrl })) {
    const error = url && findDatabaseUrlError(url);
    if (error) errors.push(`${name} ${error}`);
  }
  if (poolerUrl !== undefined && databaseUrl === undefined) {
    errors.push('BADGE_POOLER_URL must be set together with DATABASE_URL, the URL of the server itself');
  }
  return errors;
}

function findKeyErrors(config: ReadConfig, env: Environment): string[] {
  const { environment, databaseUrl, role, adminKeys, metricsKeys, demoApiKey } = config;
  const errors: string[] = [];
  if (
    environment === 'production' &&
    databaseUrl !== undefined &&
    role !== 'worker' &&
    !env.BADGE_ADMIN_KEY
  ) {
    // Otherwise each process would create a key of its own, in its own data directory.
    errors.push('BADGE_ADMIN_KEY or BADGE_ADMIN_KEY_FILE must be set in production with DATABASE_URL');
  }
  if (demoApiKey !== undefined && adminKeys.includes(demoApiKey)) {
    errors.push('BADGE_ADMIN_KEY and BADGE_DEMO_API_KEY must differ');
  }
  if (metricsKeys.some((key) => key === demoApiKey || adminKeys.includes(key))) {
    errors.push('BADGE_METRICS_KEY must differ from BADGE_ADMIN_KEY and BADGE_DEMO_API_KEY');
  }
  return errors;
}

function findMailErrors({ role, publicUrl, environment }: ReadConfig, env: Environment): string[] {
  const { BADGE_SMTP_URL, BADGE_MAIL_FROM } = env;
  if (Boolean(BADGE_SMTP_URL) !== Boolean(BADGE_MAIL_FROM)) {
    return ['BADGE_SMTP_URL and BADGE_MAIL_FROM must be set together'];
  }
  // A mail leaves the machine, so the links in it must lead back from elsewhere.
  return BADGE_SMTP_URL && environment === 'production' && role !== 'worker' && publicUrl === undefined
    ? ['PUBLIC_URL must be set together with BADGE_SMTP_URL, because mails contain links']
    : [];
}

const oneOf =
  <T extends string>(values: readonly T[]) =>
  (text: string) =>
    values.find((value) => value === text);

function parseInteger(text: string, min: number, max: number): number | undefined {
  if (!/^\d{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

function parseBytes(text: string): number | undefined {
  const match = /^(\d{1,16}) ?((?:[kmgt]i?)?b)?$/i.exec(text);
  if (match === null) return undefined;
  const [, digits, unit = 'B'] = match;
  const bytes = Number(digits) * (BYTE_UNITS[unit.toUpperCase()] ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

function parseContract(text: string): string | undefined {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : undefined;
}

function parseBaseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') return undefined;
  return url.href.replace(/\/+$/, '');
}

// The messages never contain the URL, because it may contain a password.
function findDatabaseUrlError(url: string): string | undefined {
  // The authority contains the user, the password, the host and the port.
  const [, authority, query] = /^postgres(?:ql)?:\/\/(?=.)([^/?#]*)[^?#]*(?:\?([^#]*))?/.exec(url) ?? [];
  if (authority === undefined) return 'must be a postgres:// or postgresql:// URL';
  // If the password contains an unencoded "?", the rest of the password and the "@" after it look like
  // parameters.
  if (query?.includes('@')) return INVALID_URL;
  const parameters = new URLSearchParams(query);
  const hosts = [authority.slice(authority.lastIndexOf('@') + 1), ...parameters.getAll('host')];
  // A host that begins with a slash is the directory of a socket, whose path may contain a comma.
  if (hosts.some((host) => host.includes(',') && !host.startsWith('/'))) {
    return 'must name a single host. With several servers, use an address that leads to the primary';
  }
  const unknown = [...parameters.keys()].filter((name) => !DATABASE_URL_PARAMETERS.includes(name));
  if (unknown.length > 0) {
    return `must not have the parameter ${unknown.join(', ')}. Allowed are ${DATABASE_URL_PARAMETERS.join(', ')}`;
  }
  try {
    parseConnectionString(url);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'path' in error
      ? `must name files that can be read. This one cannot: ${error.path}`
      : INVALID_URL;
  }
}

function parseChainEndpoints(text: string): ChainEndpoints[] | undefined {
  const byChain = new Map<number, string[]>();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [, digits = '', url = ''] = /^(\d+)=(.*)$/s.exec(entry) ?? [];
    const chainId = parseInteger(digits, 1, Number.MAX_SAFE_INTEGER);
    if (chainId === undefined || !isEndpointUrl(url)) return undefined;
    const urls = byChain.get(chainId) ?? [];
    byChain.set(chainId, [...urls, url]);
    if (urls.length >= MAX_ENDPOINTS_PER_CHAIN) return undefined;
  }
  return [...byChain].map(([chainId, urls]) => ({ chainId, urls }));
}

function parseEndpoints(text: string): string[] | undefined {
  const urls = text.split(',').map((part) => part.trim());
  return urls.length <= MAX_ENDPOINTS_PER_CHAIN && urls.every(isEndpointUrl) ? urls : undefined;
}

// A node's URL can have a path, a query, and a user with a password, each with a key in it.
function isEndpointUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function parseRateLimit(text: string): Config['rateLimit'] | undefined {
  if (text === 'off') return null;
  const [perKey, perAddress, ...more] = text.split('/').map((part) => parseInteger(part, 1, MAX_RATE));
  if (perKey === undefined || perAddress === undefined || more.length > 0) return undefined;
  return { perKey, perAddress };
}

function parseMailLimit(text: string): Config['mailLimit'] | undefined {
  if (text === 'off') return null;
  const [perHour, perDay, ...more] = text.split('/').map((part) => parseInteger(part, 1, MAX_MAILS));
  if (perHour === undefined || perDay === undefined || more.length > 0) return undefined;
  return { perHour, perDay };
}

const SMTP_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 };

function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const defaultPort = SMTP_PORTS[protocol];
  const isBare = ['', '/'].includes(pathname) && search === '' && hash === '';
  if (defaultPort === undefined || hostname === '' || !isBare) return undefined;
  try {
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? defaultPort : Number(port),
      isTls: protocol === 'smtps:',
      user: username === '' ? null : decodeURIComponent(username),
      password: password === '' ? null : decodeURIComponent(password),
    };
  } catch {
    return undefined;
  }
}

function parseMailbox(text: string): Mailbox | undefined {
  const match = /^(?:"?([^"<>@\p{Cc}]*?)"? *<([^<>]+)>|([^<>]+))$/u.exec(text.trim());
  const address = (match?.[2] ?? match?.[3] ?? '').trim();
  return /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(address)
    ? { name: match?.[1] ?? '', address }
    : undefined;
}

function parseRanges(text: string): string[] | undefined {
  const ranges = text.split(',').map((range) => range.trim());
  return ranges.every((range) => NAMED_RANGES.includes(range) || isAddressRange(range)) ? ranges : undefined;
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || parseInteger(bits, 1, version === 4 ? 32 : 128) !== undefined;
}

/** Returns the text if it has 16 to 256 visible ASCII characters, otherwise undefined. */
export function parseKey(text: string): string | undefined {
  return /^[\x21-\x7e]{16,256}$/.test(text) ? text : undefined;
}

/**
 * Returns the one or two keys in a text, which are separated by white space. Undefined if one is wrong, or
 * both are equal.
 */
export function parseKeys(text: string): string[] | undefined {
  const keys = text.split(/\s+/);
  const isRight = keys.length <= 2 && new Set(keys).size === keys.length;
  return isRight && keys.every((key) => parseKey(key) !== undefined) ? keys : undefined;
}
