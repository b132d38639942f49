import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Config, ConfigError, readConfig } from './config.ts';
import { SECRET_VARIABLES } from './secret-variables.ts';

const CONTRACT = '0x2000000000000000000000000000000000000002';
const PRODUCTION = { BADGE_ENVIRONMENT: 'production', BADGE_VERIFYING_CONTRACT: CONTRACT };

test('the defaults are a sandbox that only this machine can reach', () => {
  expect(readConfig({})).toStrictEqual({
    port: 3000,
    host: '127.0.0.1',
    publicUrl: undefined,
    imageUrl: undefined,
    environment: 'sandbox',
    chainId: 80001,
    verifyingContract: '0x1000000000000000000000000000000000000001',
    isDeploymentSet: false,
    databaseUrl: undefined,
    poolerUrl: undefined,
    databaseWaitMs: 60_000,
    dataDir: resolve('data'),
    unknownVariables: [],
    adminKeys: [],
    metricsKeys: [],
    backupStatusFile: undefined,
    demoApiKey: undefined,
    creatorSeed: undefined,
    issuerSeed: undefined,
    holderSeed: undefined,
    statusUrl: undefined,
    encryptionKey: undefined,
    secretFiles: [],
    role: 'all',
    logLevel: 'info',
    smtpServer: undefined,
    mailFrom: undefined,
    mailLimit: { perHour: 500, perDay: 2_000 },
    rateLimit: null,
    storageQuotaBytes: 1024 ** 3,
    maxConnectionsPerAddress: 1_000,
    pictureCacheBytes: 512 * 1024 ** 2,
    trustProxy: [],
    webhookAllow: ['loopback'],
    chainEndpoints: [],
    ensEndpoints: [],
  } satisfies Config);
});

const VARIABLES: [string, string, Partial<Config>][] = [
  ['PORT', '0', { port: 0 }],
  ['PORT', '65535', { port: 65_535 }],
  ['BADGE_MAX_CONNECTIONS_PER_ADDRESS', '10000', { maxConnectionsPerAddress: 10_000 }],
  ['HOST', '::', { host: '::' }],
  ['PUBLIC_URL', 'https://badge.example/base//', { publicUrl: 'https://badge.example/base' }],
  ['PUBLIC_URL', 'HTTP://Badge.Example:80', { publicUrl: 'http://badge.example' }],
  ['IMAGE_URL', 'https://images.example/', { imageUrl: 'https://images.example' }],
  ['BADGE_ENVIRONMENT', 'sandbox', { environment: 'sandbox', chainId: 80001, isDeploymentSet: true }],
  ['BADGE_CHAIN_ID', '1', { chainId: 1, isDeploymentSet: true }],
  ['BADGE_CHAIN_ID', '9007199254740991', { chainId: Number.MAX_SAFE_INTEGER, isDeploymentSet: true }],
  [
    'BADGE_VERIFYING_CONTRACT',
    '0xABCDEFabcdef0000000000000000000000000000',
    { verifyingContract: '0xabcdefabcdef0000000000000000000000000000', isDeploymentSet: true },
  ],
  ['DATABASE_URL', 'postgres://localhost/badge', { databaseUrl: 'postgres://localhost/badge' }],
  ['DATABASE_URL', 'postgresql:///badge?host=/run', { databaseUrl: 'postgresql:///badge?host=/run' }],
  [
    'DATABASE_URL',
    'postgres://user:p,w@host:1/badge?sslmode=verify-full&application_name=one',
    { databaseUrl: 'postgres://user:p,w@host:1/badge?sslmode=verify-full&application_name=one' },
  ],
  ['BADGE_DATABASE_WAIT', '0', { databaseWaitMs: 0 }],
  ['BADGE_DATABASE_WAIT', '300', { databaseWaitMs: 300_000 }],
  ['BADGE_DATA_DIR', '/var/lib/badge', { dataDir: '/var/lib/badge' }],
  ['BADGE_DATA_DIR', 'elsewhere', { dataDir: resolve('elsewhere') }],
  ['BADGE_ADMIN_KEY', 'k'.repeat(16), { adminKeys: ['k'.repeat(16)] }],
  [
    'BADGE_ADMIN_KEY',
    `${'k'.repeat(16)}\n${'m'.repeat(16)}`,
    { adminKeys: ['k'.repeat(16), 'm'.repeat(16)] },
  ],
  ['BADGE_METRICS_KEY', 'k'.repeat(16), { metricsKeys: ['k'.repeat(16)] }],
  ['BADGE_DEMO_API_KEY', '~!'.repeat(128), { demoApiKey: '~!'.repeat(128) }],
  ['BADGE_STORAGE_QUOTA', '0', { storageQuotaBytes: 0 }],
  ['BADGE_STORAGE_QUOTA', '1234567', { storageQuotaBytes: 1_234_567 }],
  ['BADGE_STORAGE_QUOTA', '500MB', { storageQuotaBytes: 500_000_000 }],
  ['BADGE_STORAGE_QUOTA', '2GiB', { storageQuotaBytes: 2 * 1024 ** 3 }],
  ['BADGE_STORAGE_QUOTA', '3 kib', { storageQuotaBytes: 3_072 }],
  ['BADGE_PICTURE_CACHE', '2GiB', { pictureCacheBytes: 2 * 1024 ** 3 }],
  ['BADGE_ROLE', 'api', { role: 'api', port: 3000 }],
  ['BADGE_ROLE', 'all', { role: 'all' }],
  ['LOG_LEVEL', 'trace', { logLevel: 'trace' }],
  ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['BADGE_MAIL_LIMIT', '100/1000', { mailLimit: { perHour: 100, perDay: 1_000 } }],
  ['BADGE_MAIL_LIMIT', 'off', { mailLimit: null }],
  [
    'BADGE_CHAIN_RPC_URLS',
    '1=https://user:key@a.example/v2/KEY?x=1, 8453=http://b.example:8545,1=https://c.example/a=b',
    {
      chainEndpoints: [
        { chainId: 1, urls: ['https://user:key@a.example/v2/KEY?x=1', 'https://c.example/a=b'] },
        { chainId: 8453, urls: ['http://b.example:8545'] },
      ],
    },
  ],
  ['BADGE_ENS_RPC_URL', 'https://a.example/KEY', { ensEndpoints: ['https://a.example/KEY'] }],
  [
    'BADGE_ENS_RPC_URL',
    'https://a.example, http://localhost:8545',
    { ensEndpoints: ['https://a.example', 'http://localhost:8545'] },
  ],
];

test.each(VARIABLES)('readConfig accepts %s=%s', (name, text, expected) => {
  expect(readConfig({ [name]: text })).toStrictEqual({ ...readConfig({}), ...expected });
});

test.each([...new Set(VARIABLES.map(([name]) => name))])(
  'readConfig treats an empty %s as absent',
  (name) => {
    expect(readConfig({ [name]: '' })).toStrictEqual(readConfig({}));
  },
);

const INVALID: [string, string[]][] = [
  ['PORT', ['65536', '-1', '3000.5', '0x10', '1e3', 'http', ' 80', '٣', '99999999999999999']],
  [
    'PUBLIC_URL',
    ['badge.example', 'ftp://badge.example', 'https://badge.example/?x', 'https://badge.example/#x'],
  ],
  ['IMAGE_URL', ['images', 'file:///images', 'http://']],
  ['BADGE_ENVIRONMENT', ['Production', 'test', 'prod']],
  ['BADGE_CHAIN_ID', ['0', '-137', '1.5', '0x89', '9007199254740992']],
  [
    'BADGE_VERIFYING_CONTRACT',
    ['0x', CONTRACT.slice(2), CONTRACT.slice(0, -1), `${CONTRACT}0`, CONTRACT.replace('x', 'X')],
  ],
  [
    'DATABASE_URL',
    [
      'localhost',
      'mysql://localhost/badge',
      'postgres://',
      'http://localhost',
      'postgres://host:port/badge',
      'postgres://user:pass/word@host/badge',
      'postgres://one,two/badge',
      'postgres://user:password@one:5432,two:5433/badge',
      'postgres:///badge?host=one,two',
      'postgres://host/badge?options=-c%20synchronous_commit%3Doff',
      'postgres://host/badge?sslmode=disable&statement_timeout=0',
      'postgres://host/badge?synchronous_commit=off',
      'postgres://host/badge?target_session_attrs=any',
      'postgres://host/badge?sslrootcert=/nowhere/ca.pem',
    ],
  ],
  ['BADGE_DATABASE_WAIT', ['-1', '60s', '86401', '1.5']],
  ['BADGE_ADMIN_KEY', ['k'.repeat(15), 'k'.repeat(257), 'sixteen letters and spaces', 'ключключключключ']],
  ['BADGE_DEMO_API_KEY', ['short', `${'k'.repeat(20)}\n`]],
  ['BADGE_STORAGE_QUOTA', ['off', '-1', '1.5GiB', '1G', 'GiB', '1e9', '10000TiB', '1GiB ']],
  ['BADGE_MAIL_LIMIT', ['0/1', '1', '1/2/3', '1.5/2', 'none', '1/1000001']],
  [
    'BADGE_CHAIN_RPC_URLS',
    [
      'https://a.example',
      '1=',
      '1=a.example',
      '1=wss://a.example',
      '0=https://a.example',
      '-1=https://a.example',
      'one=https://a.example',
      '1=https://a.example,',
      '1=https://a.example 2=https://b.example',
      Array(5).fill('1=https://a.example').join(),
    ],
  ],
  [
    'BADGE_ENS_RPC_URL',
    ['a.example', 'ws://a.example', 'https://a.example,', Array(5).fill('https://a.example').join()],
  ],
  ['BADGE_ROLE', ['API', 'web', 'all,worker']],
  ['LOG_LEVEL', ['verbose', 'INFO', '30']],
];

describe.each(INVALID)('%s', (name, texts) => {
  test.each(texts)('rejects %j, naming the variable', (text) => {
    const read = () => readConfig({ [name]: text });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} must (be|name|not have) [^;]+$`));
  });
});

test('an error does not contain a mistyped secret', () => {
  const read = () => readConfig({ BADGE_ADMIN_KEY: 'secret key', DATABASE_URL: 'user:secret@host' });
  expect(read).toThrow(ConfigError);
  expect(read).not.toThrow(/secret/);
});

test.each([
  ['postgres://user:sec/ret@host/badge', 'valid URL'],
  ['postgres://user:pas?sec=ret@host/badge', 'valid URL'],
  ['postgres://user:secret@one,two/badge', 'a single host'],
  [
    'postgres://user:secret@host/badge?options=-csecret&query_timeout=9',
    'the parameter options, query_timeout.',
  ],
])('the error about DATABASE_URL=%s says what is wrong, without the password', (text, expected) => {
  const read = () => readConfig({ DATABASE_URL: text });
  expect(read).toThrow(expected);
  expect(read).not.toThrow(/sec/);
});

test('BADGE_POOLER_URL follows the rules of DATABASE_URL, and cannot be set without DATABASE_URL', () => {
  const DATABASE_URL = 'postgres://host/badge';
  const BADGE_POOLER_URL = 'postgres://pooler:6432/badge';
  expect(readConfig({ DATABASE_URL, BADGE_POOLER_URL }).poolerUrl).toBe(BADGE_POOLER_URL);
  expect(() => readConfig({ BADGE_POOLER_URL })).toThrow(
    'BADGE_POOLER_URL must be set together with DATABASE_URL',
  );
  const several = { DATABASE_URL, BADGE_POOLER_URL: 'postgres://one,two/badge' };
  expect(() => readConfig(several)).toThrow(/^BADGE_POOLER_URL must name a single host/);
  const weaker = { DATABASE_URL, BADGE_POOLER_URL: `${BADGE_POOLER_URL}?options=-csynchronous_commit%3Doff` };
  expect(() => readConfig(weaker)).toThrow(/^BADGE_POOLER_URL must not have the parameter options/);
});

describe('the mail server', () => {
  const BADGE_MAIL_FROM = 'badges@example.org';

  test.each([
    ['smtp://127.0.0.1', { host: '127.0.0.1', port: 587, isTls: false, user: null, password: null }],
    ['smtp://[::1]:25/', { host: '::1', port: 25, isTls: false, user: null, password: null }],
    [
      'smtps://me%40example.org:p%3Aw%2Fd@smtp.example.org',
      { host: 'smtp.example.org', port: 465, isTls: true, user: 'me@example.org', password: 'p:w/d' },
    ],
  ])('BADGE_SMTP_URL can be %s', (BADGE_SMTP_URL, smtpServer) => {
    expect(readConfig({ BADGE_SMTP_URL, BADGE_MAIL_FROM })).toMatchObject({ smtpServer });
  });

  test.each([
    'localhost:25',
    'http://localhost',
    'smtp://',
    'smtp://localhost/path',
    'smtp://localhost?pool=true',
    'smtp://localhost#x',
    'smtp://user:secret%zz@localhost',
    'smtp://user:sec/ret@localhost',
  ])('BADGE_SMTP_URL cannot be %s, and the error does not contain it', (BADGE_SMTP_URL) => {
    const read = () => readConfig({ BADGE_SMTP_URL, BADGE_MAIL_FROM });
    expect(read).toThrow(/^BADGE_SMTP_URL must be smtp:/);
    expect(read).not.toThrow(/sec/);
  });

  test.each([
    [BADGE_MAIL_FROM, { name: '', address: BADGE_MAIL_FROM }],
    ['Badges of Ada <badges@example.org>', { name: 'Badges of Ada', address: BADGE_MAIL_FROM }],
    ['"Ada, Badges" <badges@example.org>', { name: 'Ada, Badges', address: BADGE_MAIL_FROM }],
  ])('BADGE_MAIL_FROM can be %s', (from, mailFrom) => {
    const env = { BADGE_SMTP_URL: 'smtp://localhost', BADGE_MAIL_FROM: from };
    expect(readConfig(env)).toMatchObject({ mailFrom });
  });

  test.each(['badges', 'a@b.c, d@e.f', 'Ada <a@b.c> x', 'a@b.c\r\nBcc: d@e.f', '<a@b.c'])(
    'BADGE_MAIL_FROM cannot be %j',
    (from) => {
      const env = { BADGE_SMTP_URL: 'smtp://localhost', BADGE_MAIL_FROM: from };
      expect(() => readConfig(env)).toThrow(/^BADGE_MAIL_FROM must be an e-mail address/);
    },
  );

  test('the server and the sender are set together, and in production with PUBLIC_URL', () => {
    const BADGE_SMTP_URL = 'smtp://localhost';
    for (const env of [{ BADGE_SMTP_URL }, { BADGE_MAIL_FROM }]) {
      expect(() => readConfig(env)).toThrow('BADGE_SMTP_URL and BADGE_MAIL_FROM must be set together');
    }
    const env = { ...PRODUCTION, BADGE_SMTP_URL, BADGE_MAIL_FROM };
    expect(() => readConfig(env)).toThrow('PUBLIC_URL must be set');
    expect(() => readConfig({ ...env, PUBLIC_URL: 'https://badge.example' })).not.toThrow();
  });
});

test('readConfig reports the errors of all variables together', () => {
  const env = Object.fromEntries(INVALID.map(([name, [text]]) => [name, text]));
  for (const [name] of INVALID) expect(() => readConfig(env)).toThrow(`${name} must be`);
});

describe('a secret in a file', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'badge-config-'));
  });
  afterAll(() => rm(directory, { recursive: true }));
  const write = async (text: string) => {
    const file = join(directory, randomUUID());
    await writeFile(file, text);
    return file;
  };
  /** A valid value of each variable, and an invalid one. */
  const VALUES: Record<(typeof SECRET_VARIABLES)[number], [string, string]> = {
    DATABASE_URL: ['postgres://badge:a-password@host/badge', 'mysql://badge:a-password@host/badge'],
    BADGE_POOLER_URL: ['postgres://badge:a-password@pooler/badge', 'mysql://badge:a-password@pooler/badge'],
    BADGE_ADMIN_KEY: ['k'.repeat(16), 'a-password'],
    BADGE_METRICS_KEY: ['m'.repeat(16), 'a-password'],
    BADGE_DEMO_API_KEY: ['l'.repeat(16), 'a-password'],
    BADGE_SMTP_URL: ['smtp://me:a-password@localhost', 'http://me:a-password@localhost'],
    BADGE_CHAIN_RPC_URLS: ['1=https://a.example/a-password', 'https://a.example/a-password'],
    BADGE_ENS_RPC_URL: ['https://a.example/a-password', 'a.example/a-password'],
  };
  // What must be set beside the variable.
  const others = (name: string) => ({
    ...(name === 'BADGE_POOLER_URL' ? { DATABASE_URL: 'postgres://host/badge' } : {}),
    ...(name === 'BADGE_SMTP_URL' ? { BADGE_MAIL_FROM: 'badges@example.org' } : {}),
  });

  const mayHaveLines = (name: string) => ['BADGE_ADMIN_KEY', 'BADGE_METRICS_KEY'].includes(name);
  const findErrors = (env: Record<string, string>) => {
    try {
      readConfig(env);
    } catch (error) {
      if (error instanceof ConfigError) return error.errors;
    }
    return [];
  };

  describe.each(SECRET_VARIABLES)('of %s', (name) => {
    const variable = `${name}_FILE`;
    const [valid, invalid] = VALUES[name];

    test.each(['', '\n', '\r\n'])(
      'is read as if it were in the variable, also with %j after it',
      async (end) => {
        const file = await write(valid + end);
        expect(readConfig({ ...others(name), [variable]: file })).toStrictEqual({
          ...readConfig({ ...others(name), [name]: valid }),
          secretFiles: [{ variable, file }],
        });
      },
    );

    test('is an error if it is wrong, which names the variable and not the content', async () => {
      const cases = [
        [await write(invalid), `${variable}: ${name} must`],
        [await write(''), `${variable} cannot be used: .* is empty`],
        [await write(' \n'), `${variable} cannot be used: .* is empty`],
        [
          await write(`${valid}\n${valid}\n`),
          mayHaveLines(name)
            ? `${variable}: ${name} must`
            : `${variable} cannot be used: .* has more than one line`,
        ],
        [
          await write('a-password'.repeat(10_000)),
          `${variable} cannot be used: .* has more than 65536 bytes`,
        ],
        [directory, `${variable} cannot be used: .* is not a file`],
        [join(directory, 'missing'), `${variable} cannot be used: ENOENT`],
      ] as const;
      for (const [file, message] of cases) {
        const errors = findErrors({ ...others(name), [variable]: file });
        expect(errors).toEqual([expect.stringMatching(`^${message}`)]);
        expect(String(errors)).not.toContain('a-password');
      }
    });

    test('is an error together with the variable, and an empty one of the two counts as absent', async () => {
      const file = await write(valid);
      expect(() => readConfig({ ...others(name), [name]: valid, [variable]: file })).toThrow(
        new RegExp(`^${name} and ${variable} must not both be set$`),
      );
      const withFile = readConfig({ ...others(name), [variable]: file });
      expect(readConfig({ ...others(name), [name]: '', [variable]: file })).toStrictEqual(withFile);
      const withValue = readConfig({ ...others(name), [name]: valid });
      expect(readConfig({ ...others(name), [name]: valid, [variable]: '' })).toStrictEqual(withValue);
    });

    test('is in docs/configuration.md', async () => {
      const file = new URL('../../../docs/configuration.md', import.meta.url);
      expect(await readFile(file, 'utf8')).toContain(`\`${variable}\``);
    });
  });

  test('of BADGE_ADMIN_KEY is required in production with DATABASE_URL, unless there is BADGE_ADMIN_KEY or the process is a worker', async () => {
    const env = { ...PRODUCTION, DATABASE_URL: 'postgres://localhost/badge' };
    const required = 'BADGE_ADMIN_KEY or BADGE_ADMIN_KEY_FILE must be set in production with DATABASE_URL';
    expect(() => readConfig(env)).toThrow(required);
    expect(() => readConfig({ ...env, BADGE_ROLE: 'api' })).toThrow(required);
    readConfig({ ...env, BADGE_ROLE: 'worker' });
    readConfig({ ...env, BADGE_ADMIN_KEY: 'k'.repeat(16) });
    readConfig({ ...env, BADGE_ADMIN_KEY_FILE: await write('k'.repeat(16)) });
    readConfig(PRODUCTION);
    readConfig({ DATABASE_URL: env.DATABASE_URL });
  });
});

test('readConfig rejects a demo key that is the same as the admin key', () => {
  const key = 'k'.repeat(20);
  expect(() => readConfig({ BADGE_ADMIN_KEY: key, BADGE_DEMO_API_KEY: key })).toThrow(
    'BADGE_ADMIN_KEY and BADGE_DEMO_API_KEY must differ',
  );
});

describe('production', () => {
  test('has its own default chain', () => {
    expect(readConfig(PRODUCTION)).toMatchObject({ environment: 'production', chainId: 137 });
    expect(readConfig({ ...PRODUCTION, BADGE_CHAIN_ID: '10' })).toMatchObject({ chainId: 10 });
  });

  test('returns a contract in lower case', () => {
    const contract = '0xABCDEF0000000000000000000000000000000000';
    const config = readConfig({ ...PRODUCTION, BADGE_VERIFYING_CONTRACT: contract });
    expect(config.verifyingContract).toBe(contract.toLowerCase());
  });

  test.each([
    ['no contract', {}, 'must be set in production'],
    ['an empty variable', { BADGE_VERIFYING_CONTRACT: '' }, 'must be set in production'],
    [
      'the example contract',
      { BADGE_VERIFYING_CONTRACT: `0x1${'0'.repeat(38)}1` },
      'must be your own contract',
    ],
    ['the zero address', { BADGE_VERIFYING_CONTRACT: `0x${'0'.repeat(40)}` }, 'must be your own contract'],
    ['a malformed address', { BADGE_VERIFYING_CONTRACT: '0x1' }, 'must be 0x and 40 hex digits'],
  ])('rejects the contract: %s', (_title, contract, message) => {
    const read = () => readConfig({ BADGE_ENVIRONMENT: 'production', ...contract });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`BADGE_VERIFYING_CONTRACT ${message}`);
    // The message contains no other error.
    expect(read).toThrow(/^[^;]+$/);
  });
});

test.each([
  [{}, undefined],
  [{ PORT: '' }, undefined],
  [{ PORT: '8080' }, 8080],
])('a worker with the variables %j has the port %s', (env, port) => {
  expect(readConfig({ BADGE_ROLE: 'worker', ...env }).port).toBe(port);
});

test.each([
  [{}, null],
  [PRODUCTION, { perKey: 100, perAddress: 50 }],
  [{ ...PRODUCTION, BADGE_RATE_LIMIT: 'off' }, null],
  [
    { ...PRODUCTION, BADGE_RATE_LIMIT: '' },
    { perKey: 100, perAddress: 50 },
  ],
  [{ BADGE_RATE_LIMIT: '20/10' }, { perKey: 20, perAddress: 10 }],
])('with the variables %j, the rate limit is %j', (env, rateLimit) => {
  expect(readConfig(env).rateLimit).toEqual(rateLimit);
});

test.each(['on', '100', '100/', '/50', '0/50', '100/-1', '1e3/1', '1/2/3', '100 / 50', '1000001/1'])(
  'readConfig rejects BADGE_RATE_LIMIT=%j, naming the variable',
  (value) => {
    expect(() => readConfig({ BADGE_RATE_LIMIT: value })).toThrow(ConfigError);
    expect(() => readConfig({ BADGE_RATE_LIMIT: value })).toThrow(/^BADGE_RATE_LIMIT must be/);
  },
);

test.each([
  [{}, []],
  [{ BADGE_TRUST_PROXY: '10.0.0.1' }, ['10.0.0.1']],
  [{ BADGE_TRUST_PROXY: 'loopback, 10.0.0.0/8,fc00::/7' }, ['loopback', '10.0.0.0/8', 'fc00::/7']],
])('with the variables %j, the trusted proxies are %j', (env, trustProxy) => {
  expect(readConfig(env).trustProxy).toEqual(trustProxy);
});

test.each([
  'true',
  '1',
  'proxy.internal',
  '10.0.0.0/33',
  '10.0.0.0/0',
  '::1/129',
  '10.0.0.1,',
  '10.0.0.1/8/9',
])('readConfig rejects BADGE_TRUST_PROXY=%j, naming the variable', (value) => {
  expect(() => readConfig({ BADGE_TRUST_PROXY: value })).toThrow(/^BADGE_TRUST_PROXY must be/);
});
