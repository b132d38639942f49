import type { ClaimCodeCheck, CreatedClaimLink, Environment, Operation } from '@badge/protocol';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { startMailServer } from '../testing/mail-server.ts';
import { startTestService, type TestService } from '../testing/services.ts';

async function readMail(service: TestService): Promise<Environment['mail']> {
  return ((await (await service.call('/v1/environment')).json()) as Environment).mail;
}

/** Returns what the service says about the code of a new claim link, and about a wrong code. */
async function checkCodes(service: TestService): Promise<ClaimCodeCheck[]> {
  const key = service.apiKey;
  const json = await signedToken({ headline: 'Mail' }, newWallet());
  const created = await service.call('/v1/tokens', { key, json });
  const operation = await service.call(`${created.headers.get('location')}?wait=30`);
  const { resourceId: tokenId } = (await operation.json()) as Operation;
  const response = await service.call(`/v1/tokens/${tokenId}/claimLinks`, { key, json: { count: 1 } });
  const [link] = ((await response.json()) as { items: CreatedClaimLink[] }).items;
  const codes = [link?.code ?? '', '0'.repeat(26)];
  return await Promise.all(
    codes.map(async (claimCode) => {
      const check = await service.call(`/v1/tokens/${tokenId}/checkClaimCode`, { json: { claimCode } });
      return (await check.json()) as ClaimCodeCheck;
    }),
  );
}

test('with a mail server, mails are sent, and a place can be reserved with a right code', async () => {
  const mailServer = await startMailServer();
  const service = await startTestService({
    BADGE_SMTP_URL: mailServer.url,
    BADGE_MAIL_FROM: 'badges@example.org',
  });
  try {
    expect(await readMail(service)).toBe('sent');
    const checks = await checkCodes(service);
    expect(checks.map(({ canClaim, canReserve }) => [canClaim, canReserve])).toEqual([
      [true, true],
      [false, false],
    ]);
  } finally {
    await service.stop();
    await mailServer.stop();
  }
});

test('a sandbox without a mail server keeps the mails', async () => {
  const service = await startTestService({});
  try {
    expect(await readMail(service)).toBe('kept');
    expect((await checkCodes(service))[0]).toMatchObject({ canClaim: true, canReserve: true });
  } finally {
    await service.stop();
  }
});

test('without mails, no place can be reserved', async () => {
  const service = await startTestService({});
  try {
    service.context.mail = null;
    expect(await readMail(service)).toBe('unavailable');
    expect((await checkCodes(service))[0]).toMatchObject({ canClaim: true, canReserve: false });
  } finally {
    await service.stop();
  }
});
