import { isUtf8 } from 'node:buffer';
import type { RequestError } from '@badge/protocol';
import type { FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import { checkNoErrors, invalidRequest, Refusal } from '../domain/refusal.ts';
import type { UploadedFile } from '../domain/uploaded-file.ts';
import { openSpooledFile, type SpooledFile } from './spooled-file.ts';
import { compileBodySchema, toRequestErrors } from './validation.ts';

const MAX_PARTS = 20;
const MAX_TEXT_BYTES = 4 * 1024;
const MIB = 1024 * 1024;

/**
 * Options of the multipart parser. It treats every part as a file: otherwise it would silently repair invalid
 * UTF-8 in texts. It does not limit the size of a part, because `readParts` does.
 */
export const FORM_OPTIONS = {
  throwFileSizeLimit: false,
  isPartAFile: () => true,
  limits: { parts: MAX_PARTS, headerPairs: 16, headerSize: 4 * 1024, fileSize: Number.MAX_SAFE_INTEGER },
};

/** A form with one file. */
export interface UploadForm<Fields extends TObject> {
  /** The name of the part with the file. */
  filePart: string;
  /** The text parts. */
  fields: Fields;
  maxFileBytes: number;
}

/** An uploaded file, and the name that the client has sent, which can be empty. */
export type NamedFile = UploadedFile & { name: string };

export interface Upload<Fields extends TObject> {
  fields: Static<Fields>;
  file: NamedFile;
}

interface Form {
  filePart: string;
  textParts: string[];
  maxFileBytes: number;
}

/**
 * Returns a function that reads a form, checks it, and calls `use` with it. The file is written to disk as it
 * arrives, so that a slow or large upload uses little memory and no database connection.
 */
export function createFormReader<Fields extends TObject>({
  filePart,
  fields,
  maxFileBytes,
}: UploadForm<Fields>) {
  const validate = compileBodySchema(fields);
  const form: Form = { filePart, textParts: Object.keys(fields.properties), maxFileBytes };
  return async <T>(request: FastifyRequest, use: (upload: Upload<Fields>) => Promise<T>): Promise<T> =>
    await withForm(request, form, async (parts, spool) => {
      const texts = Object.fromEntries(parts.texts);
      validate(texts);
      const errors = [
        ...parts.errors,
        ...toRequestErrors({ validation: validate.errors, validationContext: 'body' }),
        ...(parts.fileName === null ? [{ pointer: `/${filePart}`, detail: 'is required' }] : []),
        ...(parts.fileName !== null && spool.sizeBytes === 0
          ? [{ pointer: `/${filePart}`, detail: 'is empty' }]
          : []),
      ];
      checkNoErrors(errors);
      return await use({
        fields: texts as Static<Fields>,
        file: {
          name: parts.fileName ?? '',
          sizeBytes: spool.sizeBytes,
          hash: spool.hash(),
          read: spool.read,
        },
      });
    });
}

async function withForm<T>(
  request: FastifyRequest,
  form: Form,
  use: (parts: Parts, spool: SpooledFile) => Promise<T>,
): Promise<T> {
  if (!request.isMultipart()) {
    throw new Refusal('UnsupportedMediaType', 'The body must be sent as multipart/form-data.');
  }
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > form.maxFileBytes + MAX_PARTS * MAX_TEXT_BYTES) throw tooLarge(form);
  const spool = await openSpooledFile();
  try {
    return await use(await readParts(request, form, spool), spool);
  } finally {
    // Reads and drops the rest of a rejected body. Otherwise a client that is still sending would not receive
    // the response. `unpipe` detaches the parser, which could pause the stream again.
    request.raw.unpipe().resume();
    await spool.close();
  }
}

interface Parts {
  texts: Map<string, string>;
  /** Null: there is no file. */
  fileName: string | null;
  errors: RequestError[];
}

async function readParts(request: FastifyRequest, form: Form, spool: SpooledFile): Promise<Parts> {
  const { filePart, textParts, maxFileBytes } = form;
  const parts: Parts = { texts: new Map(), fileName: null, errors: [] };
  const seen = new Set<string>();
  // The bytes of unknown and repeated parts, and of texts above their limit, are read and dropped.
  let droppedBytes = 0;
  try {
    for await (const part of request.parts()) {
      // Only for the type: with `isPartAFile`, every part is a file.
      if (part.type !== 'file') continue;
      const name = part.fieldname;
      const isKnown = name === filePart || textParts.includes(name);
      const isRepeated = isKnown && seen.has(name);
      seen.add(name);
      if (isRepeated) parts.errors.push({ pointer: `/${name}`, detail: 'must be sent once' });
      const content = part.file as AsyncIterable<Buffer>;
      if (name === filePart && !isRepeated) {
        parts.fileName = part.filename ?? '';
        await writeFile(content, form, spool);
        continue;
      }
      const isUsed = isKnown && !isRepeated;
      const text: Buffer[] = [];
      let textBytes = 0;
      for await (const bytes of content) {
        textBytes += bytes.length;
        if (isUsed && textBytes <= MAX_TEXT_BYTES) text.push(bytes);
        else droppedBytes += bytes.length;
        if (droppedBytes > maxFileBytes) throw tooLarge(form);
      }
      if (isUsed) addText(parts, name, { bytes: Buffer.concat(text), textBytes });
    }
  } catch (error) {
    throw isRefusalOrDiskError(error) ? error : malformed(error);
  }
  return parts;
}

async function writeFile(content: AsyncIterable<Buffer>, form: Form, spool: SpooledFile): Promise<void> {
  for await (const bytes of content) {
    if (spool.sizeBytes + bytes.length > form.maxFileBytes) throw tooLarge(form);
    await spool.write(bytes);
  }
}

function addText(
  { texts, errors }: Parts,
  name: string,
  { bytes, textBytes }: { bytes: Buffer; textBytes: number },
): void {
  const pointer = `/${name}`;
  if (textBytes > MAX_TEXT_BYTES)
    errors.push({ pointer, detail: `must NOT have more than ${MAX_TEXT_BYTES} bytes` });
  else if (!isUtf8(bytes)) errors.push({ pointer, detail: 'is not valid UTF-8' });
  // An invalid text is stored too. Otherwise a required part would also be reported as missing.
  texts.set(name, bytes.toString('utf8'));
}

// Errors of the disk have a `syscall`. All other errors mean that the form is malformed.
function isRefusalOrDiskError(error: unknown): boolean {
  return error instanceof Refusal || (error instanceof Error && 'syscall' in error);
}

function malformed(error: unknown): Refusal {
  const isPartsLimit = error instanceof Error && 'code' in error && error.code === 'FST_PARTS_LIMIT';
  const detail = isPartsLimit ? `has more than ${MAX_PARTS} parts` : 'is not valid multipart/form-data';
  return invalidRequest([{ pointer: '', detail }]);
}

function tooLarge({ maxFileBytes }: Form): Refusal {
  return new Refusal(
    'TooLarge',
    `The file, or the rest of the form, is larger than ${maxFileBytes / MIB} MiB.`,
  );
}
