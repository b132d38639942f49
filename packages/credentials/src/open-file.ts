import { nameForeignObject, nameForeignText, OPEN_BADGES_2 } from './foreign-kinds.ts';
import { UnreadableError } from './graph.ts';
import { hasType, isObject, type Json, type JsonObject, toArray } from './parse-json.ts';
import { findBakedCredentials, hasOpenBadges2, isPng } from './png.ts';
import { type Problem, toProblem } from './problems.ts';
import type { ReasonCode, Verification } from './verification.ts';

// Issuers put pictures into credentials as `data:` URLs, so a credential can be large.
const MAX_FILE_BYTES = 32 * 2 ** 20;
const MAX_JSON_CHARACTERS = 4 * 2 ** 20;
const MAX_PRESENTED = 20;

/** The credential in a file, which may be none, with how it was found. */
export type OpenedFile = Pick<Verification, 'format' | 'presentation'> &
  ({ document: JsonObject } | { problem: Problem });

/**
 * Finds the credential in a file: JSON, or a PNG that contains it. `index`: which one of a presentation.
 * Verifies nothing.
 */
export function openFile(file: Uint8Array | string, index: number): OpenedFile {
  if (file.length > MAX_FILE_BYTES) return nothing('tooLarge', 'The file is too large for a credential.');
  const isPicture = typeof file !== 'string' && isPng(file);
  const [text, ...others] = isPicture ? findBakedCredentials(file) : [toText(file)];
  const format = isPicture ? 'png' : 'json';
  const fail = (problem: Problem): OpenedFile => ({ format, presentation: null, problem });
  // Programs differ in which one they read.
  if (others.length > 0)
    return fail(toProblem(new UnreadableError('the picture contains several credentials')));
  if (text === undefined || text === null) {
    if (isPicture && hasOpenBadges2(file)) return fail(OPEN_BADGES_2);
    return nothing('pngWithoutCredential', 'The picture contains no credential.');
  }
  if (text.length > MAX_JSON_CHARACTERS) return nothing('tooLarge', 'The credential is too large.');
  const parsed = parse(text);
  // A JWT can be a text in JSON.
  const document = parsed === undefined ? text : parsed;
  if (isObject(document) && hasType(document, 'VerifiablePresentation') && !isCredential(document)) {
    return openPresentation(document, index, format);
  }
  const opened = openDocument(document);
  if (opened !== undefined) return { format, presentation: null, ...opened };
  return parsed === undefined
    ? nothing('notJson', 'The file is neither JSON nor a PNG.')
    : nothing('notACredential', 'The file is not a credential.');
}

/**
 * The credential in a presentation. Nothing of the presentation is read but this: nobody verifies who
 * presents it.
 */
function openPresentation(
  { verifiableCredential }: JsonObject,
  index: number,
  format: Verification['format'],
): OpenedFile {
  const presented = toArray(verifiableCredential);
  if (presented.length === 0) {
    return nothing('emptyPresentation', 'The file is a presentation without a credential.');
  }
  if (presented.length > MAX_PRESENTED) {
    const detail = `The file is a presentation of more than ${MAX_PRESENTED} credentials.`;
    return { format, presentation: null, problem: { verdict: 'unsupported', code: 'tooComplex', detail } };
  }
  const presentation = { count: presented.length, index };
  const opened = openDocument(presented[index]);
  const problem: Problem = {
    verdict: 'notACredential',
    code: 'notACredential',
    detail: 'What is presented is not a credential.',
  };
  return { format, presentation, ...(opened ?? { problem }) };
}

function openDocument(document: unknown): { document: JsonObject } | { problem: Problem } | undefined {
  if (isObject(document) && isCredential(document)) return { document };
  const problem =
    typeof document === 'string'
      ? nameForeignText(document)
      : isObject(document)
        ? nameForeignObject(document)
        : undefined;
  return problem === undefined ? undefined : { problem };
}

// This only finds out whether it shall be a credential. What is signed decides.
function isCredential(document: JsonObject): boolean {
  return hasType(document, 'VerifiableCredential');
}

function toText(file: Uint8Array | string): string {
  return typeof file === 'string' ? file : new TextDecoder().decode(file);
}

function parse(json: string): Json | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function nothing(code: ReasonCode, detail: string): OpenedFile {
  return { format: null, presentation: null, problem: { verdict: 'notACredential', code, detail } };
}
