import { expect, test } from 'vitest';
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
