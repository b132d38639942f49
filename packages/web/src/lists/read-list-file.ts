import { ListFileError } from './list-file-error.ts';
import type { ListRequest, ListResponse } from './list-worker.ts';
import type { ListTable } from './read-list-table.ts';

/** What the field for a file accepts. */
export const LIST_FILE_TYPES = [
  '.csv,.txt,.tsv,.json,.xlsx',
  'text/plain,text/csv,application/json',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
].join(',');

/** On a slow computer, the largest file that can be read takes a third of it. */
const MAX_READING_MS = 20_000;

/**
 * Reads the text of a file. An .xlsx file becomes CSV: its open sheet. Throws a `ListFileError`, and the
 * reason of the signal if it ends the reading.
 */
export async function readListFile(file: Blob, maxBytes: number, signal?: AbortSignal): Promise<string> {
  if (file.size > maxBytes) throw new ListFileError('tooLarge');
  const source = new Uint8Array(await file.arrayBuffer());
  return (await askWorker({ as: 'text', source }, signal)) as string;
}

interface TableOptions {
  maxBytes: number;
  /** The place of the sheet of a workbook. Default: the open one. */
  sheet?: number;
  signal?: AbortSignal;
}

/** Reads a list of people from a text or a file as rows and cells. Throws as `readListFile`. */
export async function readPeopleTable(
  list: Blob | string,
  { maxBytes, sheet, signal }: TableOptions,
): Promise<ListTable> {
  if ((typeof list === 'string' ? list.length : list.size) > maxBytes) throw new ListFileError('tooLarge');
  const source = typeof list === 'string' ? list : new Uint8Array(await list.arrayBuffer());
  return (await askWorker({ as: 'table', source, sheet }, signal)) as ListTable;
}

/** Asks a worker of its own, and ends it when it has responded, takes too long or is not needed any more. */
async function askWorker(request: ListRequest, signal?: AbortSignal): Promise<ListTable | string> {
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
      const { source } = request;
      worker.postMessage(request, typeof source === 'string' ? [] : [source.buffer]);
    });
  } finally {
    worker.terminate();
  }
}
