import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestError } from '@badge/protocol';
import { Encrypter } from 'age-encryption';
import { parseMapping } from '../../arrivals/parse-mapping.ts';
import { Refusal } from '../refusal.ts';

/** How many exports and imports of a community may wait or be done. docs/api.md states it. */
export const MAX_UNFINISHED = 10;
const SIGNATURE = /^[0-9a-f]{64}$/;

/** One download of an export. */
export interface Download {
  exportId: number;
  /** How often the file was downloaded before. */
  downloadCount: number;
  expiresAtTimestamp: number;
}

/** The text that is signed, with the key that the processes share. The challenges of sign-ins have others. */
function sign(key: Buffer, { exportId, downloadCount, expiresAtTimestamp }: Download): Buffer {
  return createHmac('sha256', key)
    .update(`download ${exportId} ${downloadCount} ${expiresAtTimestamp}`)
    .digest();
}

/** Returns the path and the query of the URL of a download. */
export function toDownloadPath(key: Buffer, download: Download): string {
  const query = new URLSearchParams({
    download: String(download.downloadCount),
    expires: String(download.expiresAtTimestamp),
    signature: sign(key, download).toString('hex'),
  });
  return `/exports/${download.exportId}?${query}`;
}

/** Whether the service has signed the URL of a download. */
export function isSigned(key: Buffer, download: Download, signature: string): boolean {
  return SIGNATURE.test(signature) && timingSafeEqual(sign(key, download), Buffer.from(signature, 'hex'));
}

/** The recipient is needed to encrypt, and has no use otherwise. The body may violate its schema. */
export function findExportErrors(body: unknown): RequestError[] {
  const { people, recipientKey } = (body ?? {}) as { people?: unknown; recipientKey?: unknown };
  if (people === 'encrypted' && recipientKey === undefined)
    return [{ pointer: '/recipientKey', detail: 'is required if `people` is `encrypted`' }];
  if (people !== 'encrypted' && recipientKey !== undefined)
    return [{ pointer: '/recipientKey', detail: 'is only for the `people` `encrypted`' }];
  if (typeof recipientKey !== 'string' || isAgeRecipient(recipientKey)) return [];
  return [{ pointer: '/recipientKey', detail: 'is not a valid age recipient' }];
}

function isAgeRecipient(text: string): boolean {
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

/** The formats that have a mapping: the columns of a file, or how it is read. */
const MAPPED: readonly string[] = ['csv', 'listings', 'poap'];

/** Reads the `mapping` of a form. The reader of the format says what is wrong in it. */
export function readMapping(
  format: string,
  text: string | undefined,
): { mapping: Record<string, string>; errors: RequestError[] } {
  const refuse = (detail: string) => ({ mapping: {}, errors: [{ pointer: '/mapping', detail }] });
  if (text === undefined) return { mapping: {}, errors: [] };
  if (!MAPPED.includes(format)) return refuse('is only for `csv`, `listings` and `poap`');
  const parsed = parseMapping(text);
  if (parsed === 'notJson') return refuse('is not JSON');
  if (parsed === 'notTexts') return refuse('must be a JSON object with texts');
  return { ...parsed, errors: [] };
}

export function exportNotFound(): Refusal {
  return new Refusal('ExportNotFound', 'The community has no export with this id. Exports expire.');
}

export function importNotFound(): Refusal {
  return new Refusal('ImportNotFound', 'The community has no import with this id. Imports expire.');
}
