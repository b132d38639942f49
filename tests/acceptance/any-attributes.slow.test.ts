import { newWallet } from '@badge/test-support/signing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createToken, read } from './client.ts';
import type { CommunityToken, CustomAttribute, Page, Token } from './shapes.ts';
import { openRequest } from './token-requests.ts';

const creator = newWallet();
// Some reserved names. Random text is very unlikely to be one of the others.
const reserved =
  /^(creator|headline|description|links|signature|tokenId|order|limit|offset|isHidden|imageUrl|assetUrl)$/i;
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');
// A grapheme can have several code points, so fewer graphemes are allowed.
const anyText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength }),
    fc.string({ unit: 'grapheme', maxLength: maxLength / 8 }),
  );
const anyName = anyText(64).filter(
  (name) => name !== '' && [...name].length <= 64 && isStorable(name) && !reserved.test(name.trim()),
);
// JSON.stringify writes -0 as 0, which does not equal -0. Adding 0 makes 0 of -0.
const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const anyDate = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') });
const anyAttribute: fc.Arbitrary<CustomAttribute> = fc
  .tuple(
    anyName,
    fc.oneof(
      fc.record({ type: fc.constant('string'), value: anyText(200).filter(isStorable) }),
      fc.record({ type: fc.constant('number'), value: anyNumber }),
      fc.record({ type: fc.constant('boolean'), value: fc.boolean() }),
      fc.record({ type: fc.constant('date'), value: anyDate.map((date) => date.toISOString()) }),
      fc.record({ type: fc.constant('date'), value: anyDate.map((date) => date.getTime()) }),
    ),
  )
  .map(([fieldName, typed]) => ({ fieldName, ...typed }));

test('custom attributes with any names and values are returned exactly, and filters by them find the token', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .uniqueArray(anyAttribute, { selector: ({ fieldName }) => fieldName, minLength: 1, maxLength: 50 })
        // A token has at most 64 KiB of text, with its attributes.
        .filter((attributes) => Buffer.byteLength(JSON.stringify(attributes)) < 60_000),
      async (customAttributes) => {
        const { tokenId, communityId, headline } = await createToken({
          ...(await openRequest({}, creator)),
          customAttributes,
        });
        const token = await read<Token>(`/v1/tokens/${tokenId}`);
        expect(token.customAttributes).toStrictEqual(customAttributes);
        // At most three filters, because each is a request.
        for (const { fieldName, value } of customAttributes.slice(0, 3)) {
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          const query = new URLSearchParams([
            ['headline', headline],
            [fieldName, text],
          ]);
          const path = `/v1/communities/${communityId}/tokens?${query}`;
          expect((await read<Page<CommunityToken>>(path)).data, path).toMatchObject([{ tokenId }]);
        }
      },
    ),
    { numRuns: 30 },
  );
});
