import { ListFileError, type ListFileProblem } from './list-file-error.ts';
import { type ListTable, readListTable } from './read-list-table.ts';
import { readListText } from './read-list-text.ts';

/** What a worker is asked to read: a table of people, or a text with claim codes. */
export type ListRequest =
  | { as: 'table'; source: Uint8Array<ArrayBuffer> | string; sheet?: number | undefined }
  | { as: 'text'; source: Uint8Array<ArrayBuffer> };

/** What it responds. */
export type ListResponse = { value: ListTable | string } | { problem: ListFileProblem };

// A worker, because the page can end it, whatever the file makes it do.
addEventListener('message', ({ data }: MessageEvent<ListRequest>) => {
  postMessage(read(data));
});

function read(request: ListRequest): ListResponse {
  try {
    const { as, source } = request;
    return { value: as === 'text' ? readListText(source) : readListTable(source, request.sheet) };
  } catch (error) {
    if (error instanceof ListFileError) return { problem: error.problem };
    // The browser refuses an array or a text that is too long.
    return { problem: error instanceof RangeError ? 'tooMuch' : 'unreadable' };
  }
}
