import { ListFileError } from './list-file-error.ts';
import type { ListRequest, ListResponse } from './list-worker.ts';

/** What the field for a file accepts. */
export const LIST_FILE_TYPES = [
  '.csv,.txt,.tsv,.json,.xlsx',
  'text/plain,text/csv,application/json',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
].join(',');

/** On a slow computer, the largest file that can be read takes a third of it. */
const MAX_READING_MS = 20_000;

/**
 * Reads a list from a file of text, or from the open sheet of an .xlsx file, which becomes CSV. Throws a `ListFileError`, and
 * the reason of the signal if it ends the reading.
 */
export async function readListFile(file: Blob, maxBytes: number, signal?: AbortSignal): Promise<string> {
  if (file.size > maxBytes) throw new ListFileError('tooLarge');
  return await askWorker({ bytes: new Uint8Array(await file.arrayBuffer()) }, signal);
}

/** Asks a worker of its own, and ends it when it has responded, takes too long or is not needed any more. */
async function askWorker(request: ListRequest, signal?: AbortSignal): Promise<string> {
  const worker = new Worker(new URL('./list-worker.ts', import.meta.url), { type: 'module' });
  const deadline = AbortSignal.timeout(MAX_READING_MS);
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<ListResponse>) => {
        if ('value' in data) resolve(data.value);
        else reject(new ListFileError(data.problem));
      };
      worker.onerror = (event) => reject(new ListFileError('unreadable', event));
      deadline.onabort = () => reject(new ListFileError('tooSlow'));
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal?.aborted) reject(signal.reason);
      worker.postMessage(request, [request.bytes.buffer]);
    });
  } finally {
    worker.terminate();
  }
}
