import fc, { type Arbitrary } from 'fast-check';
import type { OpenApiDocument, Schema } from '../shapes.ts';

/** Texts that often cause errors. None contains NUL or a lone surrogate. */
export const naughtyTexts = [
  ' ',
  '\t\r\n',
  '\u202e\u200b\ufeff',
  'e\u0301\u1100\u1161',
  '👩‍👩‍👧‍👦'.repeat(30),
  'ﷺ'.repeat(60),
  '\u0001\u001b[31m\u007f\u0085\u2028',
  '\ufffe\uffff',
  '__proto__',
  'constructor',
  'toString',
  '%00%s%n{{7*7}}',
  "'; drop table tokens; --",
  '<script>alert(1)</script>&amp;<!--',
  '../../etc/passwd',
  'NaN',
  '-0',
  '0x10',
  '1e400',
  'true',
];

/** Generates text of `minLength` to `maxLength` code points. Its length often equals one of these limits. */
function arbitraryText(minLength = 0, maxLength = 300): Arbitrary<string> {
  const fitLength = (value: string) => {
    const codePoints = [...value].slice(0, maxLength);
    return codePoints.join('') + 'x'.repeat(Math.max(0, minLength - codePoints.length));
  };
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength, maxLength: Math.min(maxLength, 40) }) },
    {
      weight: 2,
      arbitrary: fc
        .string({ minLength, maxLength: Math.min(maxLength, 40), unit: 'binary' })
        .map((value) => value.replaceAll('\0', '\u0001')),
    },
    { weight: 2, arbitrary: fc.constantFrom(...naughtyTexts).map(fitLength) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'é', '🎖').map((unit) => unit.repeat(maxLength)) },
    { weight: 1, arbitrary: fc.constantFrom('b', '🎖').map((unit) => unit.repeat(minLength)) },
  );
}

function arbitraryString(schema: Schema): Arbitrary<string> {
  if (schema.pattern?.includes('0-9a-fA-F')) {
    // The pattern of an address or a UUID. A mixed-case address needs a checksum, which a pattern cannot
    // express.
    return fc.stringMatching(new RegExp(schema.pattern)).map((address) => address.toLowerCase());
  }
  if (schema.pattern !== undefined) {
    const { minLength = 0, maxLength = 1_000 } = schema;
    return fc
      .stringMatching(new RegExp(schema.pattern))
      .filter(({ length }) => length >= minLength && length <= maxLength);
  }
  if (schema.format === 'uri') return fc.webUrl();
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  return arbitraryText(schema.minLength, schema.maxLength);
}

function arbitraryInteger({
  minimum = -1_000,
  maximum = Number.MAX_SAFE_INTEGER,
}: Schema): Arbitrary<number> {
  const nearMinimum = fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100) });
  return fc.oneof(nearMinimum, fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
}

/** Generates values that match a schema of the document. */
export function arbitraryOf(schema: Schema, document: OpenApiDocument): Arbitrary<unknown> {
  const { $ref, anyOf, items = {}, minItems = 0, maxItems = 4, properties = {}, required = [] } = schema;
  if ($ref !== undefined) return arbitraryOf(resolve($ref, document), document);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((choice) => arbitraryOf(choice, document)));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => arbitraryOf({ ...schema, type }, document)));
  }
  if (schema.type === 'string') return arbitraryString(schema);
  if (schema.type === 'integer') return arbitraryInteger(schema);
  if (schema.type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  if (schema.type === 'array') {
    const item = arbitraryOf(items, document);
    if (schema.uniqueItems) return fc.uniqueArray(item, { minLength: minItems, maxLength: maxItems });
    const full = fc.array(item, { minLength: maxItems, maxLength: maxItems });
    // One list in ten has the greatest length, unless this is more than 100 items.
    return fc.oneof(
      { weight: 9, arbitrary: fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems, 4) }) },
      { weight: 1, arbitrary: maxItems <= 100 ? full : fc.array(item) },
    );
  }
  if (schema.type === 'object') {
    const fields = Object.entries(properties).map(([name, field]) => [name, arbitraryOf(field, document)]);
    return fc.record(Object.fromEntries(fields), {
      requiredKeys: required as never[],
      noNullPrototype: true,
    });
  }
  return fc.jsonValue();
}

function resolve(reference: string, document: OpenApiDocument): Schema {
  const name = reference.replace('#/components/schemas/', '');
  const schema = document.components.schemas[name];
  if (schema === undefined) throw new Error(`the document has no ${reference}`);
  return schema;
}
