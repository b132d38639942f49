import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const production = { BADGE_ENVIRONMENT: 'production', BADGE_VERIFYING_CONTRACT: `0x${'12'.repeat(20)}` };

test.each([
  [{}, null],
  [production, { perKey: 100, perAddress: 50 }],
  [{ ...production, BADGE_RATE_LIMIT: 'off' }, null],
  [
    { ...production, BADGE_RATE_LIMIT: '' },
    { perKey: 100, perAddress: 50 },
  ],
  [{ BADGE_RATE_LIMIT: '20/10' }, { perKey: 20, perAddress: 10 }],
])('%j limits rates to %j', (env, rateLimit) => {
  expect(readConfig(env).rateLimit).toEqual(rateLimit);
});

test.each(['on', '100', '100/', '/50', '0/50', '100/-1', '1e3/1', '1/2/3', '100 / 50', '1000001/1'])(
  'BADGE_RATE_LIMIT=%j is refused by name',
  (value) => {
    expect(() => readConfig({ BADGE_RATE_LIMIT: value })).toThrow(ConfigError);
    expect(() => readConfig({ BADGE_RATE_LIMIT: value })).toThrow(/^BADGE_RATE_LIMIT must be/);
  },
);

test.each([
  [{}, []],
  [{ BADGE_TRUST_PROXY: '10.0.0.1' }, ['10.0.0.1']],
  [{ BADGE_TRUST_PROXY: 'loopback, 10.0.0.0/8,fc00::/7' }, ['loopback', '10.0.0.0/8', 'fc00::/7']],
])('%j trusts %j', (env, trustProxy) => {
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
])('BADGE_TRUST_PROXY=%j is refused by name', (value) => {
  expect(() => readConfig({ BADGE_TRUST_PROXY: value })).toThrow(/^BADGE_TRUST_PROXY must be/);
});
