import { expect, test } from 'vitest';
import { findOrigin, toCredentialUrl } from './credential-link.ts';

const OWNER = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const BASE = 'https://badge.example';

test.each([
  [`https://badge.example/token/7?owner=${OWNER}`, `${BASE}/v1/tokens/7/credentials/${OWNER}.json`],
  [
    `http://other.example/token/7/?owner=${OWNER}#top`,
    `http://other.example/v1/tokens/7/credentials/${OWNER}.json`,
  ],
  [` /v1/tokens/7/credentials/${OWNER}.json `, `${BASE}/v1/tokens/7/credentials/${OWNER}.json`],
  ['https://university.example/badges/1.png', 'https://university.example/badges/1.png'],
  ['https://badge.example/token/7', 'https://badge.example/token/7'],
  [`https://badge.example/token/7?owner=ada`, 'https://badge.example/token/7?owner=ada'],
])('%s leads to %s', (link, expected) => {
  expect(toCredentialUrl(link, BASE)?.href).toBe(expected);
});

test.each([
  '',
  'badge.example/token/7',
  'javascript:alert(1)',
  'data:application/json,{}',
  'https://',
  'file:///a',
])('"%s" is no link', (link) => {
  expect(toCredentialUrl(link, BASE)).toBeNull();
});

test.each([
  ['https://badge.example/v1/tokens/7', { origin: BASE, tokenId: 7 }],
  ['http://localhost:3000/v1/tokens/12', { origin: 'http://localhost:3000', tokenId: 12 }],
  ['https://badge.example/v1/tokens/0', null],
  ['https://badge.example/v1/tokens/7/owners', null],
  ['urn:uuid:1', null],
  ['javascript:/v1/tokens/7', null],
  ['', null],
  [null, null],
])('a badge with the id %s comes from %j', (achievementId, expected) => {
  expect(findOrigin(achievementId)).toEqual(expected);
});
