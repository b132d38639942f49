export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

/** The limits of a document, so that JSON-LD and canonization have little work. */
export interface Limits {
  maxValues: number;
  maxDepth: number;
}

const MAX_CHARACTERS = 256 * 1024;
/** JSON-LD reads the context of each type of each object. */
const MAX_TYPES = 8;
/** A text in base64 or base64url, such as a picture or a status list. It needs no escapes, so it can be longer. */
const BASE64 = /^[\w:;,/+=.-]*$/;

/** Whether a document is small enough to be processed. */
export function isWithin(document: unknown, { maxValues, maxDepth }: Limits): boolean {
  let values = 0;
  let characters = 0;
  function count(item: unknown, depth: number, name = ''): boolean {
    values += 1;
    characters += name.length;
    if (typeof item === 'string' && !(item.length > 1_000 && BASE64.test(item))) characters += item.length;
    if (values > maxValues || depth > maxDepth || characters > MAX_CHARACTERS) return false;
    if (Array.isArray(item)) {
      if (name === 'type' && item.length > MAX_TYPES) return false;
      return item.every((part) => count(part, depth + 1));
    }
    return !isObject(item) || Object.entries(item).every(([key, part]) => count(part, depth + 1, key));
  }
  return count(document, 1);
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

/**
 * Whether a document has a member with a name that is not for data: a keyword of JSON-LD, such as a context of its own, or the
 * name that JavaScript takes for the prototype of an object.
 */
export function hasKeywords(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasKeywords);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, item]) => name.startsWith('@') || name === '__proto__' || hasKeywords(item),
  );
}
