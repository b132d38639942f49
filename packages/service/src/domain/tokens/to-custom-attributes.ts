import type { CustomAttribute } from '@badge/protocol';

/** Custom attributes with their three fields alone, in the order of the specification. */
export function toCustomAttributes(attributes: CustomAttribute[]): CustomAttribute[] {
  return attributes.map(({ fieldName, type, value }) => ({ fieldName, type, value }));
}
