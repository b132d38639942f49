import type { Body } from '../shapes.ts';
import { invalidAt, type Row, rowWithChange, rowWithFields } from './row.ts';

const everyField = 'A message has all fields of its type, because all of them are signed';
const noOtherField = 'A field that is not signed would seem to be signed';
const ownCommunity = 'A managed creator signs only for its community, whose id is case-sensitive';
const sameRules = 'The rules are those of `POST /v1/tokens`';
const eitherOr = 'A token is either open with a count, or allowlisted with the count 0';
const twoTypes = 'A managed creator signs only `Badge` and `AllowlistedAddress`';
const idRule = 'A token id is an integer from 1';

/** A row that sets fields of a valid `Badge`. */
const badgeRow = (title: string, fields: Body, response: string, why: string): Row =>
  rowWithChange(
    'signWithManagedCreator',
    { case: title, response, why },
    { body: (valid) => ({ ...valid, message: { ...(valid.message as Body), ...fields } }) },
  );

/** A row that asks for the signature of `{tokenId}`. */
const tokenIdRow = (title: string, message: Body, response: string, why: string): Row =>
  rowWithFields(
    'signWithManagedCreator',
    title,
    { primaryType: 'AllowlistedAddress', message },
    response,
    why,
  );

const badgeFields = [
  'headline',
  'description',
  'startDateTimestamp',
  'endDateTimestamp',
  'links',
  'communityUniqId',
  'isSignatureRequired',
  'isAllowlistRequired',
  'totalClaimCount',
  'expirationTimestamp',
];

export const managedCreatorRows: Row[] = [
  ...['Claim', 'Burn', 'CommunityAdminAirdrop', 'CommunityAdminAirdropReceiverConsent', 'badge', ''].map(
    (primaryType) =>
      rowWithFields(
        'signWithManagedCreator',
        `\`"primaryType": "${primaryType}"\``,
        { primaryType, message: { tokenId: 1 } },
        invalidAt('/primaryType'),
        twoTypes,
      ),
  ),
  ...badgeFields.flatMap((name) => [
    badgeRow(`Badge, \`${name}\` absent`, { [name]: undefined }, invalidAt(`/message/${name}`), everyField),
    badgeRow(`Badge, \`${name}\` null`, { [name]: null }, invalidAt(`/message/${name}`), everyField),
  ]),
  badgeRow('Badge, with a creator', { creator: '0x12' }, invalidAt('/message/creator'), noOtherField),
  badgeRow('Badge, with a token id', { tokenId: 1 }, invalidAt('/message/tokenId'), noOtherField),
  ...['demo', '', 'nobody'].map((communityUniqId) =>
    badgeRow(
      `Badge, \`"communityUniqId": "${communityUniqId}"\``,
      { communityUniqId },
      invalidAt('/message/communityUniqId'),
      ownCommunity,
    ),
  ),
  badgeRow('Badge, an empty headline', { headline: '' }, invalidAt('/message/headline'), sameRules),
  badgeRow('Badge, NUL', { headline: 'a\0' }, invalidAt('/message/headline'), sameRules),
  badgeRow('Badge, 51 links', { links: Array(51).fill('') }, invalidAt('/message/links'), sameRules),
  badgeRow(
    'Badge, a start after the end',
    { startDateTimestamp: 2, endDateTimestamp: 1 },
    invalidAt('/message/startDateTimestamp'),
    sameRules,
  ),
  badgeRow(
    'Badge, 50 links of 2,048 letters',
    { links: Array(50).fill('l'.repeat(2_048)) },
    invalidAt('/message'),
    sameRules,
  ),
  ...['1', -1, 1.5, 2 ** 53].map((totalClaimCount) =>
    badgeRow(
      `Badge, \`"totalClaimCount": ${JSON.stringify(totalClaimCount)}\``,
      { totalClaimCount },
      invalidAt('/message/totalClaimCount'),
      sameRules,
    ),
  ),
  badgeRow('Badge, open, count 0', { totalClaimCount: 0 }, invalidAt('/message/totalClaimCount'), eitherOr),
  badgeRow(
    'Badge, allowlisted, count 1',
    { isAllowlistRequired: true, totalClaimCount: 1 },
    invalidAt('/message/totalClaimCount'),
    eitherOr,
  ),
  ...[0, -1, 1.5, '1', null, 2 ** 53].map((tokenId) =>
    tokenIdRow(
      `AllowlistedAddress, \`"tokenId": ${JSON.stringify(tokenId)}\``,
      { tokenId },
      invalidAt('/message/tokenId'),
      idRule,
    ),
  ),
  tokenIdRow('AllowlistedAddress, `{}`', {}, invalidAt('/message/tokenId'), everyField),
  tokenIdRow(
    'AllowlistedAddress, with a headline',
    { tokenId: 1, headline: 'A' },
    invalidAt('/message/headline'),
    noOtherField,
  ),
  tokenIdRow(
    'AllowlistedAddress, an unknown token',
    { tokenId: 999_999_999 },
    '404 TokenNotFound',
    'The token must exist, in the community of the path',
  ),
  {
    call: 'POST /v1/communities/:communityId/managedCreator/sign',
    case: 'AllowlistedAddress, a token of another creator',
    response: '403 NotSignedByCreator',
    why: "Only the token's creator can add to its allowlist",
    send: (fixture) =>
      fixture.send('signWithManagedCreator', {
        body: () => ({
          primaryType: 'AllowlistedAddress',
          message: { tokenId: fixture.allowlistedTokenId },
        }),
      }),
  },
  ...['"true"', '1', '{}', '[]'].map(
    (literal): Row =>
      rowWithFields(
        'updateCommunity',
        `\`"hasManagedCreator": ${literal}\``,
        { hasManagedCreator: JSON.parse(literal) },
        invalidAt('/hasManagedCreator'),
        'Values are never coerced',
      ),
  ),
];
