import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { inspectConfiguration } from './inspect-configuration.ts';

const PRODUCTION = {
  BADGE_ENVIRONMENT: 'production',
  BADGE_VERIFYING_CONTRACT: '0x2000000000000000000000000000000000000002',
};
const REACHABLE = { HOST: '0.0.0.0', PUBLIC_URL: 'https://badge.example' };

test.each<[string, Record<string, string>]>([
  ['a process without variables', {}],
  ['production behind a proxy', { ...PRODUCTION, ...REACHABLE, BADGE_TRUST_PROXY: 'loopback' }],
  ['a sandbox that other machines can reach', REACHABLE],
  ['a production worker', { ...PRODUCTION, BADGE_ROLE: 'worker', HOST: '0.0.0.0' }],
])('%s causes no warning', (_name, env) => {
  expect(inspectConfiguration(readConfig(env))).toMatchObject([{ level: 'ok' }]);
});

test.each<[string, Record<string, string>]>([
  ['PUBLIC_URL', PRODUCTION],
  ['PUBLIC_URL', { ...PRODUCTION, PUBLIC_URL: 'http://badge.example' }],
  ['PUBLIC_URL', { HOST: '::' }],
  ['BADGE_TRUST_PROXY', { ...PRODUCTION, ...REACHABLE }],
  ['BADGE_TRUST_PROXY', { ...REACHABLE, BADGE_RATE_LIMIT: '10/10' }],
  ['BADGE_RATE_LIMIT', { ...PRODUCTION, ...REACHABLE, BADGE_RATE_LIMIT: 'off' }],
])('inspectConfiguration warns about %s if the variables are %j', (check, env) => {
  expect(inspectConfiguration(readConfig(env))).toMatchObject([{ level: 'warning', check }]);
});
