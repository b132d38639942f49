import { describe, expect, inject, test } from 'vitest';
import { demoCommunityId, read, withDemoKey } from './client.ts';
import { describeListing } from './listings.ts';
import type { Community, Environment, NftType, Page } from './shapes.ts';
import { types } from './vectors.ts';

describe('GET /v1/communities/:communityId', () => {
  test('returns five fields of the demo community, all of them strings', async () => {
    for (const path of [`/v1/communities/${demoCommunityId}`, `/v1/communities/${demoCommunityId}/`]) {
      expect(await read<Community>(path)).toStrictEqual({
        uniqId: demoCommunityId,
        displayId: expect.stringMatching(/./),
        name: expect.stringMatching(/./),
        description: expect.any(String),
        logoUrl: expect.stringMatching(/^https?:\/\//),
      });
    }
  });
});

describe('GET /v1/communities/:communityId/nftTypes', () => {
  const path = `/v1/communities/${demoCommunityId}/nftTypes`;
  const readAll = () => read<Page<NftType>>(`${path}?limit=1000`, withDemoKey);

  describeListing(() => path, withDemoKey);

  test('returns each type once, with five fields', async () => {
    const { data } = await readAll();
    for (const item of data) {
      expect(item).toStrictEqual({
        nftTypeId: expect.stringMatching(/./),
        name: expect.stringMatching(/./),
        previewAssetUrl: expect.stringMatching(/^https?:\/\//),
        isUserAdded: expect.any(Boolean),
        hasTextOverlay: expect.any(Boolean),
      });
    }
    const ids = data.map(({ nftTypeId }) => nftTypeId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('lists at least eight built-in types first, all of which show the headline', async () => {
    const { data } = await readAll();
    const builtIn = data.filter(({ isUserAdded }) => !isUserAdded);
    expect(data.slice(0, builtIn.length)).toEqual(builtIn);
    expect(builtIn.length).toBeGreaterThanOrEqual(8);
    expect(builtIn.every(({ hasTextOverlay }) => hasTextOverlay)).toBe(true);
    const ids = builtIn.map(({ nftTypeId }) => nftTypeId);
    expect(ids).toEqual(
      expect.arrayContaining(['defaultOrangeRed', 'defaultGreenPurple', 'defaultBlueGreen']),
    );
    for (const nftTypeId of ids) expect(nftTypeId).toMatch(/^default([A-Z][a-z]+){2}$/);
  });

  test('returns the part of the list that limit and offset select', async () => {
    const { data } = await readAll();
    const { data: some } = await read<Page<NftType>>(`${path}?limit=2&offset=1`, withDemoKey);
    expect(some).toEqual(data.slice(1, 3));
  });
});

test('GET /v1/environment returns what a client needs for signing', async () => {
  for (const path of ['/v1/environment', '/v1/environment/']) {
    const response = await read<Environment>(path);
    expect(response).toEqual(inject('environment'));
    expect(Object.keys(response).sort()).toEqual([
      'contractWalletChainIds',
      'eip712',
      'environment',
      'hasEns',
      'hasKeptBadges',
      'mail',
      'version',
    ]);
    expect(['sandbox', 'production']).toContain(response.environment);
    expect(Object.keys(response.eip712).sort()).toEqual(['domain', 'types']);
    expect(response.eip712.domain).toStrictEqual({
      name: 'Badge',
      chainId: expect.any(Number),
      verifyingContract: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    });
    expect(response.eip712.types.Badge).toStrictEqual(types.Badge);
  }
});
