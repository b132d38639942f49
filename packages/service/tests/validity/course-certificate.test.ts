import { verifyCredential } from '@badge/credentials';
import { newAddress } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { DAY_MS, validityFixture } from '../../src/testing/validity-fixture.ts';

const fixture = validityFixture();
const { give, passTime, renew, succeed, readSides, sidesOf, eventsOf, ownerOf, ownersOf, recipientsOf } =
  fixture;

const YEAR_DAYS = 365;
const PEOPLE = 31;

/** What the credential of an address says of itself, to whoever reads the list of the service. */
async function verdictOf(tokenId: number, address: string): Promise<string> {
  const { text } = await fixture.readCredential(`/v1/tokens/${tokenId}/credentials/${address}`);
  const { verdict, content } = await verifyCredential(text, {
    fetchStatusList: async (url) => await (await fixture.service.call(new URL(url).pathname)).text(),
  });
  const { validUntilTimestamp } = await ownerOf(tokenId, address);
  expect(content?.validUntilTimestamp).toBe(Math.floor(Number(validUntilTimestamp) / 1_000) * 1_000);
  return verdict;
}

test('a course certificate is given, held for a year, renewed for 30 people and left to end for one', {
  timeout: 60_000,
}, async () => {
  const people = Array.from({ length: PEOPLE }, newAddress);
  const { tokenId } = await give({ headline: 'First aid', validityDays: YEAR_DAYS }, people);
  const [one = '', ...renewed] = people;
  const other = renewed[0] ?? '';
  const endOf = async (address: string) => Number((await ownerOf(tokenId, address)).validUntilTimestamp);

  // Claimed: everybody agrees for how long.
  for (const address of [one, other]) {
    expect(await readSides(tokenId, address)).toEqual(sidesOf(await endOf(address)));
    expect(await verdictOf(tokenId, address)).toBe('valid');
  }

  // A day before the end, nothing has changed.
  await passTime(tokenId, (YEAR_DAYS - 1) * DAY_MS);
  for (const address of [one, other]) {
    expect(await readSides(tokenId, address)).toEqual(sidesOf(await endOf(address)));
    expect(await verdictOf(tokenId, address)).toBe('valid');
  }
  expect(await eventsOf(tokenId)).toEqual([]);

  // Thirty people have repeated the course.
  const nextEnd = Date.now() + YEAR_DAYS * DAY_MS;
  await succeed(renew(tokenId, renewed, nextEnd));
  expect((await eventsOf(tokenId)).map(({ type }) => type)).toEqual(Array(PEOPLE - 1).fill('badge.renewed'));
  expect(await readSides(tokenId, other)).toEqual(sidesOf(nextEnd));
  expect(await verdictOf(tokenId, other)).toBe('valid');

  // The certificate of the last one ends.
  await passTime(tokenId, DAY_MS);
  expect(await readSides(tokenId, one)).toEqual(sidesOf(await endOf(one), { isExpired: true }));
  expect(await verdictOf(tokenId, one)).toBe('expired');
  expect(await readSides(tokenId, other)).toEqual(sidesOf(await endOf(other)));
  expect(await verdictOf(tokenId, other)).toBe('valid');
  expect((await ownersOf(tokenId)).map(({ address }) => address).toSorted()).toEqual(renewed.toSorted());
  expect((await recipientsOf(tokenId, '&status=expired')).map(({ address }) => address)).toEqual([one]);
  await expect
    .poll(
      async () => (await eventsOf(tokenId)).slice(PEOPLE - 1).map(({ type, data }) => [type, data.address]),
      { timeout: 20_000 },
    )
    .toEqual([['badge.expired', one]]);
});
