import type { IncomingMessage } from 'node:http';
import { invalidRequest, Refusal } from '../domain/refusal.ts';

const MIN_BUFFER_BYTES = 16 * 1024;
// Each chunk that Node passes on costs time. So a body may have 1,000, and one more for each 64 bytes that
// have arrived. A TCP segment of a normal client has far more than 64 bytes.
const MIN_MEAN_CHUNK_BYTES = 64;
const MAX_SMALL_CHUNKS = 1_000;

export interface BodyLimits {
  maxBytes: number;
  /** Reserves memory before it is allocated. Throws if there is not enough. */
  reserve(bytes: number): void;
}

/**
 * Reads a body into one buffer. The memory depends on the size of the body, not on how many chunks it arrives
 * in. Rejects with 413 if the body is too large, and with 400 if its length differs from Content-Length or it
 * arrives in too many small chunks.
 */
export function readBody(request: IncomingMessage, { maxBytes, reserve }: BodyLimits): Promise<Buffer> {
  const { 'content-length': declared } = request.headers;
  const declaredBytes = declared === undefined ? undefined : Number(declared);
  let buffer = Buffer.alloc(0);
  let receivedBytes = 0;
  let chunkCount = 0;

  function add(chunk: Buffer): void {
    const sizeBytes = receivedBytes + chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge();
    chunkCount += 1;
    if (chunkCount > MAX_SMALL_CHUNKS + sizeBytes / MIN_MEAN_CHUNK_BYTES) {
      throw invalidRequest([{ pointer: '', detail: 'arrives in too many small pieces' }]);
    }
    if (sizeBytes > buffer.length) growBuffer(sizeBytes);
    chunk.copy(buffer, receivedBytes);
    receivedBytes = sizeBytes;
  }

  // Doubles the buffer, so that the bytes are copied only a few times.
  function growBuffer(neededBytes: number): void {
    const wantedBytes = Math.max(neededBytes, 2 * buffer.length, MIN_BUFFER_BYTES);
    const largerBytes = Math.min(wantedBytes, declaredBytes ?? maxBytes);
    // The whole declared size is reserved before the body is read.
    if (declaredBytes === undefined) reserve(largerBytes - buffer.length);
    const larger = Buffer.allocUnsafeSlow(largerBytes);
    buffer.copy(larger, 0, 0, receivedBytes);
    buffer = larger;
  }

  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      try {
        add(chunk);
      } catch (error) {
        removeListeners();
        reject(error);
      }
    };
    const onEnd = () => {
      removeListeners();
      if (declaredBytes === undefined || receivedBytes === declaredBytes) {
        resolve(buffer.subarray(0, receivedBytes));
      } else {
        reject(new Refusal('InvalidRequest', 'The length of the body differs from Content-Length.'));
      }
    };
    const onError = (error: Error) => {
      removeListeners();
      reject(error);
    };
    function removeListeners(): void {
      request.off('data', onData).off('end', onEnd).off('error', onError);
    }
    if (declaredBytes !== undefined) {
      if (declaredBytes > maxBytes) return reject(tooLarge());
      try {
        reserve(declaredBytes);
      } catch (error) {
        return reject(error);
      }
    }
    request.on('data', onData).on('end', onEnd).on('error', onError).resume();
  });
}

function tooLarge(): Refusal {
  return new Refusal('TooLarge', 'The body is larger than this endpoint accepts.');
}
