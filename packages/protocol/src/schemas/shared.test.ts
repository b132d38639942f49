import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { isText, Nullable, OptionalOrNull } from './shared.ts';

describe('text', () => {
  test.each(['', 'A', '🎖', '\u0001\n\u007f', '\ufeff', '\ufffd', '\udbff\udfff', '\\u0000'])(
    '%j is',
    (text) => {
      expect(isText(text)).toBe(true);
    },
  );

  test.each(['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800', '🎖\ud83c'])('%j is not', (text) => {
    expect(isText(text)).toBe(false);
  });
});

test('a nullable schema keeps its rules and takes null beside its type', () => {
  expect(JSON.parse(JSON.stringify(Nullable(Type.String({ maxLength: 3 }))))).toEqual({
    type: ['string', 'null'],
    maxLength: 3,
  });
});

test('a field that is optional or null is not required', () => {
  const fields = Type.Object({ must: Nullable(Type.Integer()), may: OptionalOrNull(Type.Integer()) });
  expect(fields.required).toEqual(['must']);
});
