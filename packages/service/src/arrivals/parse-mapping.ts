import { isObject, parseJson } from './read-documents.ts';

/** Reads a mapping, which is a JSON object with texts. Returns what is wrong if the text is none. */
export function parseMapping(text: string): { mapping: Record<string, string> } | 'notJson' | 'notTexts' {
  const value = parseJson(text);
  if (value === undefined) return 'notJson';
  return isMapping(value) ? { mapping: value } : 'notTexts';
}

function isMapping(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((column) => typeof column === 'string');
}
