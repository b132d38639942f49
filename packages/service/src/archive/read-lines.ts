import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { fileOf } from './lines.ts';
import { type Noun, schemaOf } from './nouns.ts';
import { ArchiveError } from './tar.ts';
import type { VerifyLine } from './verify-signatures.ts';

/** A line that is valid. */
export interface Line {
  number: number;
  /** Its length, with the line break. */
  bytes: number;
  fields: Record<string, unknown>;
}

/**
 * Reads the lines of a file, and verifies their signatures with `verify`. Throws `ArchiveError` with the
 * number of the first line that is wrong.
 */
export async function* readLines(
  noun: Noun,
  content: AsyncIterable<Buffer>,
  verify?: VerifyLine,
): AsyncGenerator<Line> {
  const validate = new Ajv2020({ strict: false }).compile(schemaOf(noun));
  let number = 0;
  for await (const text of splitLines(fileOf(noun), content)) {
    number += 1;
    const fail = (reason: string) => new ArchiveError(`${fileOf(noun)}, line ${number}: ${reason}`);
    const fields = parse(text);
    if (fields === undefined) throw fail('it is not JSON');
    if (!validate(fields)) throw fail(describe(validate.errors?.[0]));
    const problem = verify?.(fields as Record<string, unknown>) ?? null;
    if (problem !== null) throw fail(problem);
    yield { number, bytes: text.length + 1, fields: fields as Record<string, unknown> };
  }
}

const LINE_BREAK = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the lines of a file, without their line breaks. */
export async function* splitLines(
  file: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = [];
  for await (const piece of content) {
    let start = 0;
    for (let end = piece.indexOf(LINE_BREAK); end !== -1; end = piece.indexOf(LINE_BREAK, start)) {
      const rest = piece.subarray(start, end);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      start = end + 1;
    }
    if (start < piece.length) begun.push(piece.subarray(start));
  }
  if (begun.length > 0) throw new ArchiveError(`${file}: the last line has no end`);
}

function parse(text: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(text));
  } catch {
    return undefined;
  }
}

function describe(error: ErrorObject | undefined): string {
  const { instancePath = '', message = 'it is not as its schema says', params } = error ?? {};
  const name =
    params?.additionalProperty === undefined ? '' : `: ${JSON.stringify(params.additionalProperty)}`;
  return `${instancePath === '' ? 'it' : instancePath} ${message}${name}`;
}
