import fc from 'fast-check';

/** JSON values of any form, with these keys and leaves. */
export function anyJson(
  keys: string[],
  { leaf, maxDepth }: { leaf: fc.Arbitrary<unknown>; maxDepth: number },
): fc.Arbitrary<unknown> {
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 8 }),
    ),
  })).value;
}
