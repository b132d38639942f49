export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

/** The limits of a document, so that JSON-LD and canonization have little work. */
export interface Limits {
  maxValues: number;
  maxDepth: number;
  /** The most characters of its canonical statements. */
  maxStatedCharacters?: number;
}

const MAX_CHARACTERS = 256 * 1024;
/** JSON-LD reads the context of each type of each object. */
const MAX_TYPES = 8;
/** Canonization hashes the name of a property for each thing to which it leads, again and again. */
const MAX_NAME_CHARACTERS = 1_000;
/**
 * A text in base64 or base64url, such as a picture or a status list. It needs no escapes, so it can be
 * longer.
 */
const BASE64 = /^[\w:;,/+=.-]*$/;
/** The most characters of the canonical statements of a document. A picture of 4 MiB is in three of them. */
const MAX_STATED_CHARACTERS = 16 * 2 ** 20;
/** What a statement has besides what the file says: the IRIs of its property and of its type, and signs. */
const STATEMENT_CHARACTERS = 300;
/** A character can become `\u0000`. */
const ESCAPED_CHARACTERS = 6;

/** Whether a document is small enough to be processed. */
export function isWithin(
  document: unknown,
  { maxValues, maxDepth, maxStatedCharacters = MAX_STATED_CHARACTERS }: Limits,
): boolean {
  let values = 0;
  let characters = 0;
  let stated = 0;
  /**
   * A value is at most one statement, or two in a list. Each contains the id of the object and the name of
   * the member.
   */
  function count(item: unknown, depth: number, name: string, idLength: number): boolean {
    values += 1;
    characters += Array.isArray(item) ? 0 : name.length;
    stated += STATEMENT_CHARACTERS + idLength + statedLength(name);
    if (typeof item === 'string') {
      if (!(item.length > 1_000 && BASE64.test(item))) characters += item.length;
      stated += statedLength(item);
    }
    if (values > maxValues || depth > maxDepth) return false;
    if (characters > MAX_CHARACTERS || stated > maxStatedCharacters) return false;
    if (Array.isArray(item)) {
      if (name === 'type' && item.length > MAX_TYPES) return false;
      return item.every((part) => count(part, depth + 1, name, idLength));
    }
    if (!isObject(item)) return true;
    const ownIdLength = typeof item.id === 'string' ? statedLength(item.id) : 0;
    return Object.entries(item).every(
      ([key, part]) => key.length <= MAX_NAME_CHARACTERS && count(part, depth + 1, key, ownIdLength),
    );
  }
  return count(document, 1, '', 0);
}

function statedLength(text: string): number {
  return BASE64.test(text) ? text.length : text.length * ESCAPED_CHARACTERS;
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
 * Whether a document has a member with a name that is not for data: a keyword of JSON-LD, such as a context
 * of its own, or the name that JavaScript takes for the prototype of an object.
 */
export function hasKeywords(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasKeywords);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, item]) => name.startsWith('@') || name === '__proto__' || hasKeywords(item),
  );
}
