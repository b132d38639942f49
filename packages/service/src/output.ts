import { constants, fstatSync, openSync, writeSync } from 'node:fs';

const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
const RETRY_MS = 5;
const EXIT_FLUSH_MS = 500;

/**
 * Writes lines to stdout or stderr. Never fails. Waits for the reader only when the process exits, for at
 * most half a second. (Without /proc, as on macOS, a write to a terminal can also wait.)
 */
export interface Output {
  /**
   * Writes a line, which must end with a line break. Buffers it if the reader is slow. Drops it if the buffer
   * is full or writing fails.
   */
  write(line: string): void;
  /** How many lines were dropped, because the buffer was full or writing failed. */
  countDroppedLines(): number;
}

export const stdout = createOutput(1);
export const stderr = createOutput(2);

function createOutput(fd: 1 | 2): Output {
  let target: number | undefined;
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  // Whether a part of the first buffered line has already been written.
  let isFirstLineCut = false;
  // Whether the last line in the output was cut off, so that the next line must begin with a line break.
  let isLineBreakMissing = false;
  let droppedLines = 0;
  let retry: NodeJS.Timeout | undefined;
  let retryAtMs = 0;

  function write(line: string): void {
    target ??= open();
    // If lines are already buffered, the first of them begins with the missing line break.
    const bytes = Buffer.from(isLineBreakMissing && buffered.length === 0 ? `\n${line}` : line);
    if (bufferedBytes + bytes.length > MAX_BUFFERED_BYTES) {
      droppedLines += 1;
      return;
    }
    buffered.push(bytes);
    bufferedBytes += bytes.length;
    // A busy event loop delays the timer, so a retry that is due is also made here.
    if (retry === undefined || performance.now() >= retryAtMs) writeBuffered(target);
  }

  function open(): number {
    process.on('exit', () => flush(performance.now() + EXIT_FLUSH_MS));
    return openNonBlocking(fd);
  }

  function writeBuffered(target: number): void {
    clearTimeout(retry);
    retry = undefined;
    let written = 0;
    try {
      for (let bytes = buffered[0]; bytes !== undefined; bytes = buffered[written]) {
        const writtenBytes = writeSync(target, bytes);
        bufferedBytes -= writtenBytes;
        // If a line break was missing, it is the first byte that is written.
        isLineBreakMissing &&= writtenBytes === 0;
        // After a line was written in part, the loop continues with its rest.
        isFirstLineCut = writtenBytes < bytes.length;
        if (isFirstLineCut) buffered[written] = bytes.subarray(writtenBytes);
        else written += 1;
      }
      buffered = [];
    } catch (error) {
      buffered.splice(0, written);
      if (isReaderSlow(error)) {
        retry = setTimeout(writeBuffered, RETRY_MS, target).unref();
        retryAtMs = performance.now() + RETRY_MS;
      } else dropBuffered();
    }
  }

  // Called if the disk is full or the reader has closed the pipe.
  function dropBuffered(): void {
    isLineBreakMissing ||= isFirstLineCut;
    isFirstLineCut = false;
    droppedLines += buffered.length;
    buffered = [];
    bufferedBytes = 0;
  }

  // Timers do not run while the process exits, so this blocks between two attempts.
  function flush(deadlineMs: number): void {
    while (target !== undefined && buffered.length > 0) {
      writeBuffered(target);
      if (performance.now() >= deadlineMs) return;
      if (buffered.length > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }

  return { write, countDroppedLines: () => droppedLines };
}

/**
 * Returns a descriptor of the same file. Writing to it fails with EAGAIN, instead of blocking, while the
 * reader is slow.
 */
function openNonBlocking(fd: 1 | 2): number {
  // For a pipe or a socket, Node makes the descriptor non-blocking when it creates this stream. Node writes
  // some messages of its own to the stream, such as warnings of worker threads. Without a listener, an error
  // would end the process.
  const stream = fd === 1 ? process.stdout : process.stderr;
  stream.on('error', () => undefined);
  if (!fstatSync(fd).isCharacterDevice()) return fd;
  // The shell shares the descriptor of a terminal, and needs it to block. So a new one is opened.
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Without /proc, as on macOS, writes to a terminal block.
    return fd;
  }
}

function isReaderSlow(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
