import { newAddress } from '@badge/test-support/signing';
import { describe, expect, inject, test } from 'vitest';
import { call, demoCommunityId, parseOk, read, uuid, withDemoKey } from './client.ts';
import { describeListing } from './listings.ts';
import {
  asOperator,
  createApiKey,
  createCommunity,
  newUniqId,
  operatorOnly,
  parseCreated,
  send,
  walkAsOperator,
} from './operator.ts';
import { expectPointers, expectProblem } from './problems.ts';
import type { Body, Community, CommunityWithAdmins, Environment } from './shapes.ts';

const communitiesPath = '/v1/communities';
const requiredFields = { displayId: 'd', name: 'n' };

const NO_REMINDERS = { unclaimedAfterDays: [], beforeExpiryDays: [] };
const SOME_REMINDERS = { unclaimedAfterDays: [3, 7], beforeExpiryDays: [30] };

describe.skipIf(operatorOnly.isSkipped)(`the operator${operatorOnly.titleSuffix}`, () => {
  describe('creates a community', () => {
    test('with every field. Public reads do not return its admins', async () => {
      const [first, second] = [newAddress(), newAddress()];
      const body = {
        uniqId: newUniqId(),
        displayId: '🎖️ éé',
        name: 'n'.repeat(200),
        description: '🎖'.repeat(1000),
        logoUrl: 'https://example.org/logo.png?size=1#x',
        adminAddresses: [first.toLowerCase(), second, first],
      };
      const created = parseCreated<CommunityWithAdmins>(await send('POST', communitiesPath, body));
      const { chainId } = inject('environment').eip712.domain;
      const expected = {
        ...body,
        adminAddresses: [first, second],
        contractWalletChainId: chainId,
        reminders: NO_REMINDERS,
      };
      expect(created).toStrictEqual(expected);
      const { adminAddresses: _, contractWalletChainId: __, reminders: ___, ...community } = created;
      expect(await read<Community>(`${communitiesPath}/${body.uniqId}`)).toStrictEqual(community);
    });

    test('whose id is case-sensitive', async () => {
      const { uniqId } = await createCommunity({ uniqId: `${newUniqId()}_A` });
      const response = await call(`${communitiesPath}/${uniqId.toLowerCase()}`);
      expectProblem(response, 404, 'CommunityNotFound');
    });

    test.each([{}, { uniqId: null, description: null, logoUrl: null, adminAddresses: null, other: 1 }])(
      'with defaults for absent and null fields, and without unknown fields: %o',
      async (fields) => {
        const created = parseCreated<CommunityWithAdmins>(
          await send('POST', communitiesPath, { ...requiredFields, ...fields }),
        );
        expect(created).toStrictEqual({
          ...requiredFields,
          uniqId: expect.stringMatching(new RegExp(`^${uuid.source}$`)),
          description: '',
          logoUrl: expect.stringMatching(/^https?:\/\//),
          adminAddresses: [],
          contractWalletChainId: inject('environment').eip712.domain.chainId,
          reminders: NO_REMINDERS,
        });
        expect((await fetch(created.logoUrl)).status).toBe(200);
      },
    );

    test('once per uniqId, even when requests race', async () => {
      const body = { ...requiredFields, uniqId: newUniqId() };
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => send('POST', communitiesPath, body)),
      );
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
      for (const response of responses)
        if (response.status !== 201) expectProblem(response, 409, 'CommunityExists');
      const demoAgain = await send('POST', communitiesPath, { ...requiredFields, uniqId: demoCommunityId });
      expectProblem(demoAgain, 409, 'CommunityExists');
    });
  });

  describe('lists communities', () => {
    describeListing(() => communitiesPath, asOperator);

    test('with their admins, oldest first', async () => {
      const first = await createCommunity({ adminAddresses: [newAddress()] });
      const second = await createCommunity();
      const all = await walkAsOperator<CommunityWithAdmins>(communitiesPath);
      const ids = all.map(({ uniqId }) => uniqId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(all).toContainEqual(first);
      expect(ids.indexOf(second.uniqId)).toBeGreaterThan(ids.indexOf(first.uniqId));
    });
  });

  describe('changes a community', () => {
    test('field by field, and resets an optional field that is null', async () => {
      const before = await createCommunity();
      const path = `${communitiesPath}/${before.uniqId}`;
      const admin = newAddress();
      // Each step has the body of a PATCH, and the fields that the PATCH changes.
      const steps: [Body, Partial<CommunityWithAdmins>][] = [
        [{ name: 'Another' }, { name: 'Another' }],
        [{ displayId: 'another' }, { displayId: 'another' }],
        [{ description: 'Words' }, { description: 'Words' }],
        [{ logoUrl: 'http://example.org/a' }, { logoUrl: 'http://example.org/a' }],
        [{ adminAddresses: [admin, admin.toLowerCase()] }, { adminAddresses: [admin] }],
        [{}, {}],
        [{ uniqId: before.uniqId }, {}],
        [
          { description: null, logoUrl: null },
          { description: '', logoUrl: before.logoUrl },
        ],
        [{ adminAddresses: [] }, { adminAddresses: [] }],
        [{ adminAddresses: [admin] }, { adminAddresses: [admin] }],
        [{ adminAddresses: null }, { adminAddresses: [] }],
        [{ contractWalletChainId: 10 }, { contractWalletChainId: 10 }],
        [{ contractWalletChainId: null }, { contractWalletChainId: before.contractWalletChainId }],
        [{ reminders: SOME_REMINDERS }, { reminders: SOME_REMINDERS }],
        [{ reminders: NO_REMINDERS }, { reminders: NO_REMINDERS }],
      ];
      let expected = before;
      for (const [body, change] of steps) {
        expected = { ...expected, ...change };
        expect(parseOk<CommunityWithAdmins>(await send('PATCH', path, body))).toStrictEqual(expected);
        const { adminAddresses: _, contractWalletChainId: __, reminders: ___, ...community } = expected;
        expect(await read<Community>(path)).toStrictEqual(community);
      }
    });

    test('not at all, if the body has an unknown field or another `uniqId`', async () => {
      const before = await createCommunity();
      const path = `${communitiesPath}/${before.uniqId}`;
      for (const field of [{ other: 1 }, { uniqId: newUniqId() }]) {
        expectPointers(await send('PATCH', path, { name: 'Changed', ...field }), [`/${Object.keys(field)}`]);
      }
      expect(await read<Community>(path)).toMatchObject({ name: before.name });
    });
  });
});

describe('GET /v1/communities/:communityId/configuration', () => {
  const path = `${communitiesPath}/${demoCommunityId}/configuration`;

  test('returns the signing domain, the types and the limits', async () => {
    const configuration = await read<Environment & Body>(path, withDemoKey);
    expect(configuration).toStrictEqual({
      communityId: demoCommunityId,
      ...inject('environment'),
      adminAddresses: expect.any(Array),
      contractWalletChainId: expect.any(Number),
      reminders: NO_REMINDERS,
      limits: expect.objectContaining({
        headlineCharacters: 1_000,
        descriptionCharacters: 1_000,
        contributors: 10_000,
        customAttributes: 50,
        pageItems: 1_000,
        storageBytes: expect.any(Number),
        tokenBytes: 65_536,
        bodyValues: 20_000,
      }),
      reservedAttributeNames: expect.arrayContaining(['headline', 'isHidden', 'claimStatus', 'order']),
    });
  });

  test.skipIf(operatorOnly.isSkipped)(
    `returns the admins, but not to another community${operatorOnly.titleSuffix}`,
    async () => {
      const adminAddresses = [newAddress(), newAddress()];
      const { uniqId } = await createCommunity({ adminAddresses });
      const ownPath = `${communitiesPath}/${uniqId}/configuration`;
      const { apiKey } = await createApiKey(uniqId);
      expect(await read(ownPath, { 'X-API-Key': apiKey })).toMatchObject({
        communityId: uniqId,
        adminAddresses,
      });
      expect(await read(ownPath, asOperator)).toMatchObject({ adminAddresses });
      expectProblem(await call(ownPath, { headers: withDemoKey }), 403, 'ApiKeyNotAllowed');
    },
  );
});
