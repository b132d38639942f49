import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { startTestService } from '../testing/services.ts';

test('a strict linter reports nothing about /openapi.json', async () => {
  // A rule forbids localhost as the server's URL, although that is right for a service on this machine.
  const service = await startTestService({ PUBLIC_URL: 'https://badge.test' });
  const source = await (await service.call('/openapi.json')).text().finally(() => service.stop());
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`),
  ).toEqual([]);
});
