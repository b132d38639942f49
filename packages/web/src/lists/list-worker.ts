import { ListFileError, type ListFileProblem } from './list-file-error.ts';
import { readListText } from './read-list-text.ts';

/** What a worker is asked to read. */
export interface ListRequest {
  bytes: Uint8Array<ArrayBuffer>;
}

/** What it responds. */
export type ListResponse = { value: string } | { problem: ListFileProblem };

// A worker, because the page can end it, whatever the file makes it do.
addEventListener('message', ({ data }: MessageEvent<ListRequest>) => {
  postMessage(read(data));
});

function read({ bytes }: ListRequest): ListResponse {
  try {
    return { value: readListText(bytes) };
  } catch (error) {
    if (error instanceof ListFileError) return { problem: error.problem };
    // The browser refuses an array or a text that is too long.
    return { problem: error instanceof RangeError ? 'tooMuch' : 'unreadable' };
  }
}
