import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { startTestService } from '../testing/services.ts';
import { nameSchemas } from './openapi.ts';

const inner = { title: 'Inner', type: 'string' };
const outer = { title: 'Outer', type: 'object', properties: { inner, title: { type: 'string' } } };

test('nameSchemas moves schemas with a title to the components, including nested ones', () => {
  const document = {
    info: { title: 'A document' },
    paths: { '/a': { get: outer, put: inner }, '/b': [outer, { type: 'array', items: inner }] },
    components: { securitySchemes: { key: {} } },
  };
  const before = structuredClone(document);
  expect(nameSchemas(document)).toEqual({
    info: { title: 'A document' },
    paths: {
      '/a': { get: { $ref: '#/components/schemas/Outer' }, put: { $ref: '#/components/schemas/Inner' } },
      '/b': [
        { $ref: '#/components/schemas/Outer' },
        { type: 'array', items: { $ref: '#/components/schemas/Inner' } },
      ],
    },
    components: {
      securitySchemes: { key: {} },
      schemas: {
        Inner: inner,
        Outer: {
          title: 'Outer',
          type: 'object',
          properties: { inner: { $ref: '#/components/schemas/Inner' }, title: { type: 'string' } },
        },
      },
    },
  });
  expect(document).toEqual(before);
});

test('nameSchemas adds no schemas to a document without paths', () => {
  expect(nameSchemas({})).toEqual({ paths: {}, components: { schemas: {} } });
});

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
