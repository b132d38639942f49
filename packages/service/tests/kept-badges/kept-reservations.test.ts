import type { ConfirmedReservation, Operation, OwnerState, Problem, RecipientsPage } from '@badge/protocol';
import { newWallet, signTokenId } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { createEmailSession } from '../../src/testing/email-sessions.ts';
import { codeIn, creator, newEmail, reservationsFixture } from '../../src/testing/reservations-fixture.ts';

// Who confirms a reservation claims at once. tests/mail/reservations.test.ts tests those that need a wallet.

const fixture = reservationsFixture({ keepsBadges: true });
const { createToken, createLink, createRoom, reserve, confirm, mailsTo, waitForMail, readLinks } = fixture;

const json = async <T>(response: Response | Promise<Response>) => (await (await response).json()) as T;
const settle = async ({ operationId }: ConfirmedReservation) =>
  await json<Operation>(fixture.service.call(`/v1/operations/${operationId}?wait=20`));

/** Asks for a place. Returns the code of the mail. */
async function ask(tokenId: number, email: string, code: string): Promise<string> {
  expect((await reserve(tokenId, email, code)).status).toBe(202);
  return codeIn('reserve', (await waitForMail(email)).text);
}

const confirmed = async (tokenId: number, code: string) => {
  const response = await confirm(tokenId, code);
  expect(response.status).toBe(200);
  return await json<ConfirmedReservation>(response);
};
const ownerOf = async (tokenId: number, { address }: ConfirmedReservation) =>
  await json<OwnerState>(fixture.service.call(`/v1/tokens/${tokenId}/owners/${address}`));
const readRecipients = async (tokenId: number) =>
  await json<RecipientsPage>(
    fixture.service.call(`/v1/tokens/${tokenId}/recipients`, { key: fixture.service.apiKey }),
  );

test('who confirms an e-mail has the badge at once, with one mail, and may confirm twice', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  const code = await ask(tokenId, email, link.code);
  const [first, second] = await Promise.all([confirmed(tokenId, code), confirmed(tokenId, code)]);
  expect(second).toEqual(first);
  expect(await settle(first)).toMatchObject({
    status: 'success',
    operationType: 'claim',
    resourceId: tokenId,
  });
  expect(await ownerOf(tokenId, first)).toMatchObject({ status: 'held' });
  expect(await confirmed(tokenId, code)).toEqual(first);
  expect(await readLinks(tokenId)).toMatchObject([{ claimCount: 1, status: 'unused' }]);
  expect(await readRecipients(tokenId)).toMatchObject({
    total: 1,
    data: [{ email, way: 'room', status: 'claimed', isKept: true, address: first.address }],
  });
  expect(mailsTo(email)).toHaveLength(1);

  // The same person, signed in.
  const key = await createEmailSession(fixture.service, email);
  const again = await fixture.service.call(`/v1/tokens/${tokenId}/claim`, {
    key,
    json: { claimCode: link.code },
  });
  expect((await json<Problem>(again)).name).toBe('ClaimingAddressAlreadyHasToken');
});

test('the mail says before that the organizers see the address, and what the button brings', async () => {
  const { tokenId, link } = await createRoom(2);
  const email = newEmail();
  await ask(tokenId, email, link.code);
  const { text } = await waitForMail(email);
  expect(text).toMatch(/the organizers of .+ see this address/);
  expect(text).toContain('Confirm and get the badge');
  // A wallet is needed, so that only a place is reserved.
  const { tokenId: other, link: strict } = await createRoom(2, { isSignatureRequired: true });
  const second = newEmail();
  await ask(other, second, strict.code);
  expect((await waitForMail(second)).text).toContain('Confirm and reserve');
  expect((await waitForMail(second)).text).toContain('see this address');
});

test('of many confirmations at the same time, exactly as many succeed as there are places', async () => {
  const { tokenId, link } = await createRoom(5);
  const codes = await Promise.all(Array.from({ length: 8 }, () => ask(tokenId, newEmail(), link.code)));
  const outcomes = await Promise.all(
    codes.map(async (code) => {
      const response = await confirm(tokenId, code);
      if (response.status !== 200) return (await json<Problem>(response)).name;
      const { status, error } = await settle(await json<ConfirmedReservation>(response));
      return error?.name ?? status;
    }),
  );
  expect(outcomes.toSorted()).toEqual([
    ...Array<string>(3).fill('ClaimCodeUsed'),
    ...Array<string>(5).fill('success'),
  ]);
  expect(await readLinks(tokenId)).toMatchObject([{ claimCount: 5, status: 'used' }]);
});

test('a link for one claim is used, and its code gives nothing to anybody else', async () => {
  const tokenId = await createToken({});
  const link = await createLink(tokenId, { count: 1 });
  const [one, other] = [newEmail(), newEmail()];
  const [code, otherCode] = [await ask(tokenId, one, link.code), await ask(tokenId, other, link.code)];
  expect(await settle(await confirmed(tokenId, code))).toMatchObject({ status: 'success' });
  const late = await confirm(tokenId, otherCode);
  expect([late.status, (await json<Problem>(late)).name]).toEqual([409, 'ClaimCodeUsed']);
  expect(await readLinks(tokenId)).toMatchObject([{ status: 'used' }]);
});

test('who was invited takes no place of a room, and who has claimed with a wallet gets no second badge', async () => {
  const { tokenId, link } = await createRoom(2);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const [invited, withWallet] = [newEmail(), newEmail()];
  const [code, other] = [await ask(tokenId, invited, link.code), await ask(tokenId, withWallet, link.code)];
  await fixture.service.call(`/v1/tokens/${tokenId}/invitations`, {
    key: fixture.service.apiKey,
    json: { recipients: [{ email: invited }, { email: withWallet }], signature },
  });
  const claimed = await confirmed(tokenId, code);
  expect(await settle(claimed)).toMatchObject({ status: 'success' });
  expect(await confirmed(tokenId, code)).toEqual(claimed);
  const claimCode = codeIn('claim', (await waitForMail(withWallet, 2)).text);
  const body = { claimingAddress: newWallet().address, claimCode };
  await fixture.waitForOperation(await fixture.service.call(`/v1/tokens/${tokenId}/claim`, { json: body }));
  expect(await confirmed(tokenId, other)).toEqual({ operationId: null, address: null });
  const room = (await readLinks(tokenId)).find(({ claimLinkId }) => claimLinkId === link.claimLinkId);
  expect(room).toMatchObject({ claimCount: 0 });
  expect(await readRecipients(tokenId)).toMatchObject({ total: 2 });
});

test('a code that ends before the confirmation gives nothing, and takes no place', async () => {
  const { tokenId, link } = await createRoom(2);
  const code = await ask(tokenId, newEmail(), link.code);
  const path = `/v1/tokens/${tokenId}/claimLinks/${link.claimLinkId}`;
  await fixture.service.call(path, { key: fixture.service.apiKey, method: 'DELETE' });
  expect((await json<Problem>(confirm(tokenId, code))).name).toBe('ClaimCodeInvalid');
  expect((await json<Problem>(confirm(tokenId, 'UNKNOWN'))).name).toBe('ConfirmationCodeInvalid');
  expect(await readRecipients(tokenId)).toMatchObject({ total: 0 });
});

test('a token or a code that needs a signature keeps a place, and sends a link', async () => {
  const signed = await createRoom(2, { isSignatureRequired: true });
  const email = newEmail();
  const code = await ask(signed.tokenId, email, signed.link.code);
  expect(await confirmed(signed.tokenId, code)).toEqual({ operationId: null, address: null });
  expect(codeIn('claim', (await waitForMail(email, 2)).text)).not.toBe('');
  const tokenId = await createToken({ isSignatureRequired: true });
  const link = await createLink(tokenId, { count: 1 });
  const ofToken = newEmail();
  expect(await confirmed(tokenId, await ask(tokenId, ofToken, link.code))).toEqual({
    operationId: null,
    address: null,
  });
});
