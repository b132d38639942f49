import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { isText, Nullable, OptionalOrNull } from './field-types.ts';

describe('isText', () => {
  test.each(['', 'A', '🎖', '\u0001\n\u007f', '\ufeff', '\ufffd', '\udbff\udfff', '\\u0000'])(
    'accepts %j',
    (text) => {
      expect(isText(text)).toBe(true);
    },
  );

  test.each(['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800', '🎖\ud83c'])('rejects %j', (text) => {
    expect(isText(text)).toBe(false);
  });
});

test('Nullable adds the type null to a schema and keeps its limits', () => {
  expect(JSON.parse(JSON.stringify(Nullable(Type.String({ maxLength: 3 }))))).toEqual({
    type: ['string', 'null'],
    maxLength: 3,
  });
});

test('OptionalOrNull makes a field optional', () => {
  const fields = Type.Object({
    required: Nullable(Type.Integer()),
    optional: OptionalOrNull(Type.Integer()),
  });
  expect(fields.required).toEqual(['required']);
});
