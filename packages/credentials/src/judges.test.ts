import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JUDGES } from '@badge/test-support/credential-judges';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Badge, signBadge } from './badge-credential.ts';
import { signStatusList } from './status-list.ts';
import { badgeOf } from './testing/badge-of.ts';
import { mutate } from './testing/mutate.ts';
import { testIssuer } from './testing/test-issuer.ts';
import { verifyCredential } from './verify-credential.ts';

const { did, signBytes } = testIssuer();

let server: Server;
let listUrl: string;
let revokedIndexes: number[] = [];

beforeAll(async () => {
  server = createServer(async (_request, response) => {
    const list = { url: listUrl, did, validFrom: TIME, created: TIME, revokedIndexes };
    // While mutations are judged, nothing is read for seconds: a connection that is kept could end just when it is used again.
    response.setHeader('Connection', 'close');
    response.end(await signStatusList(list, signBytes));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  listUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/1`;
});
afterAll(() => server.close());

const TIME = '2026-01-02T03:04:05Z';
const badge = (index = 7): Badge => badgeOf({ did, status: { listUrl, index } });
const fetchStatusList = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const OUR_JUDGE = 'this package';
const judges: typeof JUDGES = {
  ...JUDGES,
  [OUR_JUDGE]: async (credential) => {
    const { verdict } = await verifyCredential(JSON.stringify(credential), { fetchStatusList });
    return verdict === 'valid' || verdict === 'revoked' ? verdict : 'rejected';
  },
};

describe.each(Object.entries(judges))('%s', (name, judge) => {
  test('accepts a credential, and says that it is revoked once the list says so', async () => {
    revokedIndexes = [6, 8];
    const credential = JSON.parse(await signBadge(badge(), signBytes));
    expect(await judge(credential)).toBe('valid');
    revokedIndexes = [6, 7, 8];
    expect(await judge(credential)).toBe('revoked');
    revokedIndexes = [];
  });

  test.each([0, 131_071])('reads the entry %i', async (index) => {
    const credential = JSON.parse(await signBadge(badge(index), signBytes));
    expect(await judge(credential)).toBe('valid');
    revokedIndexes = [index];
    expect(await judge(credential)).toBe('revoked');
    revokedIndexes = [];
  });

  // The programs of others need seconds for this.
  const tags = name === OUR_JUDGE ? [] : ['slow'];
  test('rejects a credential of which any signed member was changed', { tags }, async () => {
    const credential = JSON.parse(await signBadge(badge(), signBytes));
    const mutations = mutate(credential);
    // The document has about 50 members.
    expect(mutations.length).toBeGreaterThan(60);
    for (const { path, changed } of mutations) {
      expect(await judge(changed), `a change of ${path} was not noticed`).toBe('rejected');
    }
  });
});
