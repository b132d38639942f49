import { newAddress } from '@badge/test-support/signing';
import { verifyTypedData } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import { asJson, expectAccepted, expectSuccess, parseOk, read, requestToken } from './client.ts';
import { asOperator, createApiKey, createCommunity, operatorOnly, send } from './operator.ts';
import { expectPointers, expectProblem } from './problems.ts';
import type { AuditEntry, Body, Page, Token } from './shapes.ts';
import { allowlistedRequest, domain, nftTypeId, openBadge, types } from './token-requests.ts';

interface Signed {
  address: string;
  signature: string;
}

describe.skipIf(operatorOnly.isSkipped)(`a managed creator${operatorOnly.titleSuffix}`, () => {
  let communityId: string;
  let path: string;
  const headers: Record<'viewer' | 'issuer' | 'editor' | 'owner', Record<string, string>> = {
    viewer: {},
    issuer: {},
    editor: {},
    owner: {},
  };

  const sign = (primaryType: string, message: unknown, asCaller = headers.editor) =>
    send('POST', `${path}/sign`, { primaryType, message }, asCaller);
  const listActions = async () => {
    const log = await read<Page<AuditEntry>>(
      `/v1/auditLog?communityId=${communityId}&limit=1000`,
      asOperator,
    );
    return log.data.map(({ action, resourceId }) => `${action} ${resourceId}`);
  };

  /** Creates a token from a message of the type `Badge`, which the managed creator signs. */
  async function createToken(message: Body, fields: Body = {}): Promise<Token> {
    const { communityUniqId, totalClaimCount, ...badge } = message;
    const { address: creator, signature } = parseOk<Signed>(await sign('Badge', message));
    const count = badge.isAllowlistRequired ? {} : { totalClaimCount };
    const body = {
      ...badge,
      ...count,
      communityId: communityUniqId,
      nftTypeId,
      creator,
      signature,
      ...fields,
    };
    const accepted = await requestToken(body, { ...asJson, ...headers.editor });
    return await read<Token>(`/v1/tokens/${await expectSuccess(expectAccepted(accepted))}`);
  }

  beforeAll(async () => {
    ({ uniqId: communityId } = await createCommunity());
    path = `/v1/communities/${communityId}/managedCreator`;
    for (const role of Object.keys(headers) as (keyof typeof headers)[]) {
      headers[role] = { 'X-API-Key': (await createApiKey(communityId, { role })).apiKey };
    }
    parseOk(await send('PATCH', `/v1/communities/${communityId}`, { hasManagedCreator: true }));
  });

  test('has an address with its checksum, which viewers can read', async () => {
    const creator = await read<{ address: string }>(path, headers.viewer);
    expect(creator).toStrictEqual({ address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) });
    expect(await read(path, headers.viewer)).toStrictEqual(creator);
  });

  test('signs a badge, with which an editor creates an open token', async () => {
    const message = openBadge(communityId, { description: 'é', links: ['a', ''], expirationTimestamp: 9e12 });
    const token = await createToken(message);
    const { address } = await read<{ address: string }>(path, headers.viewer);
    expect(token).toMatchObject({
      createdByAddress: address,
      communityId,
      headline: message.headline,
      description: 'é',
      links: ['a', ''],
    });
    const signed = parseOk<Signed>(await sign('Badge', message));
    expect(verifyTypedData(domain, { Badge: types.Badge ?? [] }, message, signed.signature)).toBe(address);
    expect(Number.parseInt(signed.signature.slice(-2), 16)).toBeOneOf([27, 28]);
  });

  test('signs for an allowlisted token, to which an issuer adds people', async () => {
    const message = openBadge(communityId, { isAllowlistRequired: true, totalClaimCount: 0 });
    const { tokenId } = await createToken(message, { contributors: [newAddress()] });
    const { signature } = parseOk<Signed>(await sign('AllowlistedAddress', { tokenId }, headers.issuer));
    const body = { contributors: [newAddress()], signature };
    const added = await send('POST', `/v1/tokens/${tokenId}/addContributors`, body, headers.issuer);
    await expectSuccess(expectAccepted(added));
    expect((await read<Token>(`/v1/tokens/${tokenId}`)).contributorCount).toBe(2);
    expect((await listActions()).slice(0, 2)).toEqual([
      expect.stringMatching(/^addContributors /),
      `signAllowlistedAddress ${tokenId}`,
    ]);
  });

  test('leaves one entry in the audit log for each signature, and none for a refusal', async () => {
    const before = await listActions();
    const message = openBadge(communityId);
    const withKey = { ...headers.editor, 'Idempotency-Key': 'the same' };
    for (let time = 0; time < 2; time += 1) parseOk(await sign('Badge', message, withKey));
    expectProblem(await sign('Badge', message, headers.issuer), 403, 'RoleNotAllowed');
    expectProblem(await sign('Badge', message, headers.viewer), 403, 'RoleNotAllowed');
    expectPointers(await sign('Badge', { ...message, headline: '' }), ['/message/headline']);
    const entry = `signBadge ${communityId}`;
    expect(await listActions()).toEqual([entry, entry, ...before]);
  });

  test('signs nothing for another community, or for a token of another creator', async () => {
    const other = await createCommunity();
    parseOk(await send('PATCH', `/v1/communities/${other.uniqId}`, { hasManagedCreator: true }));
    expectPointers(await sign('Badge', openBadge(other.uniqId)), ['/message/communityUniqId']);
    expectPointers(await sign('Badge', openBadge(other.uniqId), asOperator), ['/message/communityUniqId']);
    const otherPath = `/v1/communities/${other.uniqId}/managedCreator`;
    const message = openBadge(other.uniqId);
    const foreign = await send('POST', `${otherPath}/sign`, { primaryType: 'Badge', message }, headers.owner);
    expectProblem(foreign, 403, 'ApiKeyNotAllowed');

    const request = await allowlistedRequest({ communityId });
    const accepted = await requestToken(request, { ...asJson, ...headers.editor });
    const tokenId = await expectSuccess(expectAccepted(accepted));
    expectProblem(await sign('AllowlistedAddress', { tokenId }), 403, 'NotSignedByCreator');
  });

  test('is given and taken only by the operator', async () => {
    for (const hasManagedCreator of [true, false]) {
      const patched = await send(
        'PATCH',
        `/v1/communities/${communityId}`,
        { hasManagedCreator },
        headers.owner,
      );
      expectProblem(patched, 403, 'ApiKeyNotAllowed');
    }
    const { uniqId } = await createCommunity();
    const ownPath = `/v1/communities/${uniqId}/managedCreator`;
    const patch = (hasManagedCreator: boolean) =>
      send('PATCH', `/v1/communities/${uniqId}`, { hasManagedCreator });
    const readCreator = () => send('GET', ownPath, undefined);
    expectProblem(await readCreator(), 404, 'ManagedCreatorNotFound');
    parseOk(await patch(true));
    const first = (await readCreator()).text;
    parseOk(await patch(false));
    expectProblem(await readCreator(), 404, 'ManagedCreatorNotFound');
    const signed = await send('POST', `${ownPath}/sign`, {
      primaryType: 'Badge',
      message: openBadge(uniqId),
    });
    expectProblem(signed, 404, 'ManagedCreatorNotFound');
    parseOk(await patch(true));
    expect((await readCreator()).text).toBe(first);
  });
});
