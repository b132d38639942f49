import type { ErrorObject } from 'ajv';

/** Says what is wrong with a value that does not match its schema. */
export function describeSchemaError({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not a field of this call';
  if (keyword === 'format' && params.format === 'text') return 'must not contain NUL or a lone surrogate';
  if (keyword === 'pattern' && params.pattern.startsWith('^0x'))
    return 'must be an address: 0x and 40 hex digits';
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}`;
  if (keyword === 'enum') return `must be one of: ${params.allowedValues.map(String).join(', ')}`;
  return message ?? 'is malformed';
}
