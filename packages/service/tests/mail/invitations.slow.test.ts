import { query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { invitationsFixture, newEmail, WAIT_OPTIONS } from '../../src/testing/invitations-fixture.ts';

const fixture = invitationsFixture();
const { createToken, invite, list, waitForStatus, retryNow, expectRefusedMail } = fixture;

// The server also closes the connection, which takes seconds.
test('a mail that is refused with 421 is queued', async () => {
  await expectRefusedMail(421, 'queued');
});

test('a mail that is refused for now for a day fails', async () => {
  const tokenId = await createToken();
  const email = newEmail();
  fixture.mailServer.refuse = (address) =>
    address === email ? { responseCode: 450, message: 'later' } : null;
  const [invitation] = await invite(tokenId, [email]);
  await vi.waitFor(
    async () => expect(await list(tokenId)).toMatchObject([{ error: '450 later' }]),
    WAIT_OPTIONS,
  );
  await query(
    fixture.service.databaseUrl,
    "update invitations set first_attempt_at = now() - interval '1 day' where invitation_id = $1",
    [invitation?.invitationId],
  );
  await retryNow(invitation?.invitationId);
  await waitForStatus(tokenId, 'failed');
});
