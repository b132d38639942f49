import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JUDGES } from '@badge/test-support/credential-judges';
import { afterAll, beforeAll, expect } from 'vitest';
import { signBadge } from '../badge-credential.ts';
import { signStatusList } from '../status-list.ts';
import { verifyCredential } from '../verify-credential.ts';
import { badgeOf } from './badge-of.ts';
import { mutate } from './mutate.ts';
import { testIssuer } from './test-issuer.ts';

const TIME = '2026-01-02T03:04:05Z';
const { did, signBytes } = testIssuer();

let listUrl: string;
let revokedIndexes: number[] = [];

/** Serves the status list of the credentials during a test file. */
export function serveStatusList(): void {
  const server = createServer(async (_request, response) => {
    const list = { url: listUrl, did, validFrom: TIME, created: TIME, revokedIndexes };
    // While mutations are judged, nothing is read for seconds: a connection that is kept could end just when
    // it is used again.
    response.setHeader('Connection', 'close');
    response.end(await signStatusList(list, signBytes));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    listUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/1`;
  });
  afterAll(() => server.close());
}

/** Sets which entries the list has revoked. */
export function revoke(indexes: number[]): void {
  revokedIndexes = indexes;
}

/** Signs a credential with this entry of the list. */
export async function signCredential(index = 7): Promise<object> {
  return JSON.parse(await signBadge(badgeOf({ did, status: { listUrl, index } }), signBytes));
}

const fetchStatusList = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());
type Judge = (typeof JUDGES)[string];

/** Verifies a credential with this package. */
export const ourJudge: Judge = async (credential) => {
  const { verdict } = await verifyCredential(JSON.stringify(credential), { fetchStatusList });
  return verdict === 'valid' || verdict === 'revoked' ? verdict : 'rejected';
};

/** Checks that a judge notices each change of a signed member. */
export async function expectChangesRejected(judge: Judge): Promise<void> {
  const mutations = mutate(await signCredential());
  // The document has about 50 members.
  expect(mutations.length).toBeGreaterThan(60);
  for (const { path, changed } of mutations) {
    expect(await judge(changed), `a change of ${path} was not noticed`).toBe('rejected');
  }
}
