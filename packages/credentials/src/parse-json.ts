export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

/** Whether a value has at most so many values in it, and is nested at most so deep. */
export function isWithin(
  value: unknown,
  { maxValues, maxDepth }: { maxValues: number; maxDepth: number },
): boolean {
  let values = 0;
  function count(item: unknown, depth: number): boolean {
    values += 1;
    if (values > maxValues || depth > maxDepth) return false;
    if (typeof item !== 'object' || item === null) return true;
    return Object.values(item).every((part) => count(part, depth + 1));
  }
  return count(value, 1);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON-LD lets a list of one be written without its brackets. */
export function toArray(value: Json | undefined): Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function hasType(object: JsonObject, type: string): boolean {
  return toArray(object.type).includes(type);
}

export function findText(value: Json | undefined): string | null {
  const text = toArray(value).find((item) => typeof item === 'string');
  return typeof text === 'string' ? text : null;
}

export function findObject(value: Json | undefined): JsonObject {
  return toArray(value).find(isObject) ?? {};
}

/** The id of a thing, which is written alone or as a member of an object. */
export function findId(value: Json | undefined): string | null {
  const [first] = toArray(value);
  if (typeof first === 'string') return first;
  return isObject(first) && typeof first.id === 'string' ? first.id : null;
}

/** Terms of the contexts that mean the same as a member with another name: `criteria`, `image` and `geo`. */
const ALIASES = ['Criteria', 'Image', 'GeoCoordinates'];

/**
 * Whether an object has a name that changes what others mean, or a second name of a member: its IRI or an alias. The signature
 * would cover such a member, but whoever reads it under its usual name would not find it.
 */
export function hasOtherNames(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasOtherNames);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, item]) =>
      name.startsWith('@') || name.includes(':') || ALIASES.includes(name) || hasOtherNames(item),
  );
}
