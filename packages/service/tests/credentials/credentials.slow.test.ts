import { join } from 'node:path';
import { BUILT_IN_DESIGNS } from '@badge/badge-images';
import { describe, expect, test } from 'vitest';
import { ATTRIBUTES, all, credentialsFixture, judgeAll } from '../../src/testing/credentials-fixture.ts';
import { startOtherProcess } from '../../src/testing/services.ts';

const fixture = credentialsFixture();
const { createBadge, readCredential } = fixture;

const HEADLINES = {
  Latin: 'Speaker 2026',
  Greek: 'Ομιλητής',
  Cyrillic: 'Докладчик',
  Arabic: 'متحدث ٢٠٢٦',
  Hebrew: 'דובר',
  Devanagari: 'वक्ता',
  Thai: 'วิทยากร',
  Chinese: '演讲者',
  Japanese: '発表者',
  Korean: '발표자',
  Tamil: 'பேச்சாளர்',
  emoji: '🏅👩🏽‍🚀',
  controls: 'a\tb\n\u2028\u0001\u200f<b>"\\',
};

describe('the judges accept', () => {
  test('the credential of every design', async () => {
    for (const { id } of BUILT_IN_DESIGNS) {
      const { path } = await createBadge({ nftTypeId: id });
      expect(await judgeAll((await readCredential(path)).credential), id).toEqual(all('valid'));
    }
  });

  test('headlines in every script', async () => {
    for (const [script, headline] of Object.entries(HEADLINES)) {
      const { path } = await createBadge({ headline });
      const { credential } = await readCredential(path);
      expect(credential.name).toBe(headline.replaceAll('\t', ' ').replaceAll('\u0001', ' '));
      expect(await judgeAll(credential), script).toEqual(all('valid'));
    }
  });

  test('every type of attribute, all optional fields, and as many attributes as are allowed', async () => {
    const many = Array.from({ length: 50 }, (_, index) => ({
      fieldName: `attribute ${index}`,
      type: 'string',
      value: 'x'.repeat(1_000),
    }));
    for (const customAttributes of [ATTRIBUTES, many]) {
      const { path } = await createBadge({
        customAttributes,
        criteria: 'Gave a talk.',
        description: 'A talk',
        startDateTimestamp: 1_767_225_600_000,
        endDateTimestamp: 8_640_000_000_000_000,
      });
      expect(await judgeAll((await readCredential(path)).credential)).toEqual(all('valid'));
    }
  });
});

describe('a credential', () => {
  test('has the same bytes in every process, and in concurrent requests', async () => {
    const { path } = await createBadge();
    const env = {
      BADGE_ISSUER_SEED_FILE: join(fixture.directory, 'seed'),
      PUBLIC_URL: `http://localhost:${fixture.service.port}`,
    };
    const other = await startOtherProcess(fixture.service, env);
    try {
      const calls = [fixture.service, other, fixture.service, other, other].map((one) =>
        readCredential(path, one),
      );
      const texts = (await Promise.all(calls)).map(({ text }) => text);
      expect(new Set(texts).size).toBe(1);
    } finally {
      await other.stop();
    }
  });
});

describe('the status list', () => {
  test('can have another base, which old credentials do not get', async () => {
    const { path } = await createBadge();
    const { text } = await readCredential(path);
    const other = await startOtherProcess(fixture.service, {
      BADGE_ISSUER_SEED_FILE: join(fixture.directory, 'seed'),
      PUBLIC_URL: `http://localhost:${fixture.service.port}`,
      BADGE_STATUS_URL: 'https://status.example/lists/',
    });
    try {
      expect((await readCredential(path, other)).text).toBe(text);
      const { credential } = await readCredential((await createBadge()).path, other);
      const { statusListCredential: url } = credential.credentialStatus;
      expect(url).toMatch(/^https:\/\/status\.example\/lists\/[0-9a-f-]{36}$/);
      // The service sends this list too.
      const response = await other.call(`/status/${url.split('/').at(-1)}`);
      expect(((await response.json()) as { id: string }).id).toBe(url);
    } finally {
      await other.stop();
    }
  });
});
