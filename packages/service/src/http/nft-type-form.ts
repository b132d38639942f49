import { isUtf8 } from 'node:buffer';
import { LIMITS, NftTypeFields, type RequestError } from '@badge/protocol';
import type { FastifyRequest } from 'fastify';
import type { UploadedFile } from '../domain/nft-types/read-asset-type.ts';
import { checkNoErrors, invalidRequest, Refusal } from '../domain/refusal.ts';
import { openSpooledFile, type SpooledFile } from './spooled-file.ts';
import { compileBodySchema, toRequestErrors } from './validation.ts';

const FILE_PART = 'assetFile';
const MAX_PARTS = 20;
const MAX_TEXT_BYTES = 4 * 1024;
const validateFields = compileBodySchema(NftTypeFields);
const TEXT_PARTS = Object.keys(NftTypeFields.properties);

/**
 * Options of the multipart parser. It treats every part as a file: otherwise it would silently repair invalid
 * UTF-8 in texts. It does not limit the size of a part, because `readParts` does.
 */
export const FORM_OPTIONS = {
  throwFileSizeLimit: false,
  isPartAFile: () => true,
  limits: { parts: MAX_PARTS, headerPairs: 16, headerSize: 4 * 1024, fileSize: Number.MAX_SAFE_INTEGER },
};

export interface NftTypeUpload {
  fields: NftTypeFields;
  file: UploadedFile;
}

/**
 * Reads the upload form of an NFT type, checks it, and calls `use` with it. The file is written to disk as it
 * arrives, so that a slow or large upload uses little memory and no database connection.
 */
export async function withNftTypeForm<T>(
  request: FastifyRequest,
  use: (form: NftTypeUpload) => Promise<T>,
): Promise<T> {
  if (!request.isMultipart()) {
    throw new Refusal('UnsupportedMediaType', 'The body must be sent as multipart/form-data.');
  }
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > LIMITS.assetBytes + MAX_PARTS * MAX_TEXT_BYTES) throw tooLarge();
  const spool = await openSpooledFile();
  try {
    const parts = await readParts(request, spool);
    const fields = Object.fromEntries(parts.texts) as NftTypeFields;
    validateFields(fields);
    const errors = [
      ...parts.errors,
      ...toRequestErrors({ validation: validateFields.errors, validationContext: 'body' }),
      ...(parts.hasFile ? [] : [{ pointer: `/${FILE_PART}`, detail: 'is required' }]),
      ...(parts.hasFile && spool.sizeBytes === 0 ? [{ pointer: `/${FILE_PART}`, detail: 'is empty' }] : []),
    ];
    checkNoErrors(errors);
    return await use({
      fields,
      file: { sizeBytes: spool.sizeBytes, hash: spool.hash(), read: spool.read },
    });
  } finally {
    // Reads and drops the rest of a rejected body. Otherwise a client that is still sending would not receive
    // the response. `unpipe` detaches the parser, which could pause the stream again.
    request.raw.unpipe().resume();
    await spool.close();
  }
}

interface Parts {
  texts: Map<string, string>;
  hasFile: boolean;
  errors: RequestError[];
}

async function readParts(request: FastifyRequest, spool: SpooledFile): Promise<Parts> {
  const parts: Parts = { texts: new Map(), hasFile: false, errors: [] };
  const seen = new Set<string>();
  // The bytes of unknown and repeated parts, and of texts above their limit, are read and dropped.
  let droppedBytes = 0;
  try {
    for await (const part of request.parts()) {
      // Only for the type: with `isPartAFile`, every part is a file.
      if (part.type !== 'file') continue;
      const name = part.fieldname;
      const isKnown = name === FILE_PART || TEXT_PARTS.includes(name);
      const isRepeated = isKnown && seen.has(name);
      seen.add(name);
      if (isRepeated) parts.errors.push({ pointer: `/${name}`, detail: 'must be sent once' });
      const content = part.file as AsyncIterable<Buffer>;
      if (name === FILE_PART && !isRepeated) {
        parts.hasFile = true;
        await writeFile(content, spool);
        continue;
      }
      const isUsed = isKnown && !isRepeated;
      const text: Buffer[] = [];
      let textBytes = 0;
      for await (const bytes of content) {
        textBytes += bytes.length;
        if (isUsed && textBytes <= MAX_TEXT_BYTES) text.push(bytes);
        else droppedBytes += bytes.length;
        if (droppedBytes > LIMITS.assetBytes) throw tooLarge();
      }
      if (isUsed) addText(parts, name, { bytes: Buffer.concat(text), textBytes });
    }
  } catch (error) {
    throw isRefusalOrDiskError(error) ? error : malformed(error);
  }
  return parts;
}

async function writeFile(content: AsyncIterable<Buffer>, spool: SpooledFile): Promise<void> {
  for await (const bytes of content) {
    if (spool.sizeBytes + bytes.length > LIMITS.assetBytes) throw tooLarge();
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

function tooLarge(): Refusal {
  return new Refusal('TooLarge', 'The file, or the rest of the form, is larger than 20 MiB.');
}
