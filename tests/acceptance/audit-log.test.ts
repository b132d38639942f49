import { newAddress, newWallet } from '@badge/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';
import { claimWithSignature } from './claim-requests.ts';
import { asJson, call, expectAccepted, expectSuccess, read, requestToken } from './client.ts';
import { describeListing } from './listings.ts';
import { asOperator, createApiKey, createCommunity, operatorOnly, parseCreated, send } from './operator.ts';
import type { ApiKey, AuditEntry, CreatedNftType, Page } from './shapes.ts';
import { openRequest } from './token-requests.ts';
import { nftTypesPath, upload, validParts } from './uploads.ts';

const auditLog = '/v1/auditLog';

describe.skipIf(operatorOnly.isSkipped)(`the audit log${operatorOnly.titleSuffix}`, () => {
  let communityId: string;
  let key: ApiKey & { apiKey: string };
  const withOwnKey = () => ({ 'X-API-Key': key.apiKey });
  const readEntries = async (query = '') =>
    (await read<Page<AuditEntry>>(`${auditLog}?limit=1000&communityId=${communityId}${query}`, asOperator))
      .data;
  /** Returns the entries that were added while `work` ran. */
  const readEntriesOf = async (work: () => Promise<unknown>) => {
    const before = (await readEntries()).length;
    await work();
    const after = await readEntries();
    return after.slice(0, after.length - before);
  };

  beforeAll(async () => {
    communityId = (await createCommunity()).uniqId;
    key = await createApiKey(communityId);
  });

  describeListing(
    () => auditLog,
    asOperator,
    () => `communityId=${communityId}&`,
  );

  test('lists the creation of a community and of its key, newest first', async () => {
    const { uniqId } = await createCommunity();
    const { apiKeyId } = await createApiKey(uniqId);
    const { data } = await read<Page<AuditEntry>>(`${auditLog}?communityId=${uniqId}`, asOperator);
    const byOperator = {
      auditEntryId: expect.any(Number),
      recordedAtTimestamp: expect.any(Number),
      actor: 'operator',
      apiKeyId: null,
      address: null,
      communityId: uniqId,
      reason: null,
      apiKeyName: null,
      resourceName: expect.stringMatching(/./),
      tokenId: null,
      headline: null,
      ownerAddress: null,
      toAddress: null,
      operationStatus: null,
    };
    expect(data).toStrictEqual([
      { ...byOperator, action: 'createApiKey', resourceType: 'apiKey', resourceId: apiKeyId },
      { ...byOperator, action: 'createCommunity', resourceType: 'community', resourceId: uniqId },
    ]);
    const [newestId, oldestId] = data.map(({ auditEntryId }) => auditEntryId);
    expect(newestId).toBeGreaterThan(Number(oldestId));
  });

  test('has one entry per write, with a null apiKeyId if a signature authorized the write', async () => {
    const claimer = newWallet();
    let [creationLocation, claimLocation, updatedTokenId] = ['', '', ''];
    const added = await readEntriesOf(async () => {
      const body = await openRequest({ communityId });
      const headers = { ...asJson, ...withOwnKey() };
      creationLocation = expectAccepted(await requestToken(body, headers));
      // The same request is not another write.
      expect(expectAccepted(await requestToken(body, headers))).toBe(creationLocation);
      const tokenId = await expectSuccess(creationLocation);
      claimLocation = expectAccepted(await claimWithSignature(tokenId, claimer));
      await expectSuccess(claimLocation);
      updatedTokenId = String(tokenId);
      const update = await send('PATCH', `/v1/tokens/${tokenId}`, { isHidden: true }, withOwnKey());
      expect(update.status).toBe(200);
    });
    const byKey = { actor: 'apiKey', apiKeyId: key.apiKeyId };
    expect(added).toMatchObject([
      { ...byKey, action: 'updateToken', resourceType: 'token', resourceId: updatedTokenId },
      {
        actor: 'signature',
        apiKeyId: null,
        action: 'claim',
        resourceType: 'operation',
        tokenId: Number(updatedTokenId),
        ownerAddress: claimer.address,
        operationStatus: 'success',
      },
      { ...byKey, action: 'createToken', resourceType: 'operation' },
    ]);
    expect(added.slice(1).map(({ resourceId }) => `/v1/operations/${resourceId}`)).toEqual([
      claimLocation,
      creationLocation,
    ]);
  });

  test('has entries for NFT types, updated communities and revoked keys', async () => {
    const revoked = await createApiKey(communityId);
    let nftTypeId = '';
    const added = await readEntriesOf(async () => {
      const response = await upload(validParts(), { communityId, headers: withOwnKey() });
      ({ nftTypeId } = parseCreated<CreatedNftType>(response));
      const nftType = `${nftTypesPath(communityId)}/${nftTypeId}`;
      await call(nftType, { method: 'DELETE', headers: withOwnKey() });
      // The second DELETE is rejected, so it has no entry.
      await call(nftType, { method: 'DELETE', headers: withOwnKey() });
      await send('PATCH', `/v1/communities/${communityId}`, { adminAddresses: [newAddress()] });
      await send('DELETE', `/v1/communities/${communityId}/apiKeys/${revoked.apiKeyId}`, undefined);
    });
    expect(added.map(({ action, actor, resourceId }) => [action, actor, resourceId])).toEqual([
      ['revokeApiKey', 'operator', revoked.apiKeyId],
      ['updateCommunity', 'operator', communityId],
      ['deleteNftType', 'apiKey', nftTypeId],
      ['createNftType', 'apiKey', nftTypeId],
    ]);
  });

  test('is filtered by community, key, action and time', async () => {
    // An entry says what has become of its operation, so both are final first.
    for (const headers of [asOperator, withOwnKey()]) {
      const body = await openRequest({ communityId });
      await expectSuccess(expectAccepted(await requestToken(body, { ...asJson, ...headers })));
    }
    const all = await readEntries();
    const { recordedAtTimestamp: oldestTimestamp } = all.at(-1) as AuditEntry;
    const ofKey = await readEntries(`&apiKeyId=${key.apiKeyId}`);
    const ofAction = await readEntries('&action=createApiKey');
    expect(ofKey.length).toBeGreaterThan(0);
    expect(ofKey).toEqual(all.filter(({ apiKeyId }) => apiKeyId === key.apiKeyId));
    expect(ofAction.length).toBeGreaterThan(0);
    expect(ofAction).toEqual(all.filter(({ action }) => action === 'createApiKey'));
    expect(await readEntries(`&beforeTimestamp=${oldestTimestamp}`)).toEqual([]);
    expect(await readEntries(`&fromTimestamp=${oldestTimestamp}`)).toEqual(all);
    expect(await readEntries('&fromTimestamp=0&beforeTimestamp=8640000000000000')).toEqual(all);
    expect(await readEntries(`&fromTimestamp=${oldestTimestamp + 1}`)).toEqual(
      all.filter(({ recordedAtTimestamp }) => recordedAtTimestamp > oldestTimestamp),
    );
    expect(await readEntries('&apiKeyId=&action=&fromTimestamp=&beforeTimestamp=')).toEqual(all);
    expect(await read(`${auditLog}?communityId=nobody`, asOperator)).toMatchObject({ data: [] });
  });
});
