import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { atMost, type Bench, type Figure, type Row } from '../figure.ts';
import { type BenchedService, checkNoneFailed, createOpenToken, startService } from '../service.ts';
import { signClaims } from '../signed-requests.ts';
import { DATA_SIZE } from '../sizes.ts';
import { median } from '../statistics.ts';
import { readResidentMb } from './memory.ts';

const CLAIMS_PER_SECOND = 50;
const CLAIM_CONNECTIONS = 16;
const RECIPIENTS_PER_REQUEST = 1_000;
/** The memory after this part of the mails is compared with that after all. */
const FIRST_PART = 0.1;
const POLL_MS = 20;

/** Many invitations are sent to a mail server on this machine, while people claim another token. */
export const mails: Figure = {
  name: 'mails',
  async measure(bench) {
    const server = await startMailServer();
    const keyFile = join(bench.directory, 'encryption-key');
    await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
    const service = await startService(join(bench.directory, 'mails'), DATA_SIZE, {
      hasAutovacuum: true,
      env: {
        PUBLIC_URL: 'https://badge.example',
        BADGE_ENCRYPTION_KEY_FILE: keyFile,
        BADGE_SMTP_URL: server.url,
        BADGE_MAIL_FROM: 'badges@badge.example',
        BADGE_MAIL_LIMIT: 'off',
      },
    });
    try {
      const rows = await measureMails({ ...bench, service }, server);
      await checkNoneFailed(service.databaseUrl);
      return rows;
    } finally {
      await service.stop();
      server.stop();
    }
  },
};

async function measureMails(bench: Bench, server: MailServer): Promise<Row[]> {
  const { service, extent } = bench;
  const { invitations, rounds } = extent;
  const claimed = await createOpenToken(service);
  const invited = await createOpenToken(service);
  const measureClaims = () => measureClaimTime(bench, claimed);
  // The first measurement only warms up the process.
  await measureClaims();
  const before: number[] = [];
  for (let round = 0; round < rounds; round += 1) before.push(await measureClaims());

  const startMs = performance.now();
  await invite(service, invited, invitations);
  await server.waitForMails(invitations * FIRST_PART);
  const firstMb = await readResidentMb(service.pid);
  const during: number[] = [];
  for (let round = 0; round < rounds; round += 1) during.push(await measureClaims());
  const sentDuringClaims = server.count();
  await server.waitForMails(invitations);
  const rate = (invitations * 1_000) / (performance.now() - startMs);
  const lastMb = await readResidentMb(service.pid);

  const [figure, reference] = [median(during), median(before)];
  return [
    {
      name: `mails of ${invitations} invitations`,
      unit: '/s',
      figure: rate,
      reference: null,
      ratio: null,
      goal: null,
      details: { sentDuringClaims },
    },
    {
      name: 'claims while mails are sent, p50',
      unit: 'ms',
      figure,
      reference,
      ratio: figure / reference,
      goal: atMost(1.5),
      details: { before, during },
    },
    {
      name: 'memory after all mails, compared with a tenth',
      unit: 'MB',
      figure: lastMb,
      reference: firstMb,
      ratio: lastMb / firstMb,
      goal: atMost(1.2),
      details: {},
    },
  ];
}

/** Returns the p50 of the time from a claim to its success, in milliseconds. */
async function measureClaimTime({ driver, extent, service }: Bench, tokenId: number): Promise<number> {
  const count = Math.ceil((CLAIMS_PER_SECOND * extent.windowMs) / 1_000);
  const requests = signClaims(count, tokenId).map(({ request }) => request);
  const { settled } = await driver.run({
    port: service.port,
    connections: CLAIM_CONNECTIONS,
    requests,
    ratePerSecond: CLAIMS_PER_SECOND,
    waitForEvery: 1,
  });
  return settled.p50Ms;
}

async function invite({ url, community }: BenchedService, tokenId: number, count: number): Promise<void> {
  for (let first = 0; first < count; first += RECIPIENTS_PER_REQUEST) {
    const length = Math.min(RECIPIENTS_PER_REQUEST, count - first);
    const recipients = Array.from({ length }, (_, index) => ({
      email: `person${first + index}@example.org`,
      name: `Person ${first + index}`,
    }));
    const response = await fetch(`${url}/v1/tokens/${tokenId}/invitations`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${community.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ recipients, message: 'Thank you for your talk!' }),
    });
    if (response.status !== 201) throw new Error(`the invitations returned ${response.status}`);
    await response.arrayBuffer();
  }
}

interface MailServer {
  url: string;
  count(): number;
  waitForMails(count: number): Promise<void>;
  stop(): void;
}

/** Starts a mail server that accepts every mail, and only counts them. */
async function startMailServer(): Promise<MailServer> {
  let received = 0;
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, callback) => {
      stream.resume();
      stream.once('end', () => {
        received += 1;
        callback(null);
      });
    },
  });
  const listening = smtp.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    count: () => received,
    waitForMails: async (count) => {
      while (received < count) await wait(POLL_MS);
    },
    stop: () => smtp.close(),
  };
}
