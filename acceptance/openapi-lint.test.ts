import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, inject, test } from 'vitest';

test('a linter finds nothing to say about /openapi.json', async () => {
  const source = await (await fetch(`${inject('baseUrl')}/openapi.json`)).text();
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // Reads such as /healthz have no client errors to name; the service is served where it is hosted.
      'operation-4xx-response': 'off',
      'no-server-example.com': 'off',
    },
  });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`),
  ).toEqual([]);
});
