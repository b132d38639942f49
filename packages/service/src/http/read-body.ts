import type { IncomingMessage } from 'node:http';
import { invalidRequest, Refusal } from '../domain/refusal.ts';

const FIRST_BYTES = 16 * 1024;
// Each piece costs time. A TCP segment or a chunk of a normal client carries far more than 64 bytes, so after the first
// 1,000 pieces, a body whose pieces are smaller on average is rejected.
const MIN_MEAN_PIECE_BYTES = 64;
const FREE_PIECES = 1_000;

export interface BodyLimits {
  maxBytes: number;
  /** Reserves memory for bytes before they are buffered. Throws if there is not enough. */
  reserve(bytes: number): void;
}

/**
 * Reads a body into one buffer. The memory depends on the size of the body, not on how many pieces it arrives in.
 * Rejects with 413 if it is too large, and with 400 if it differs from its Content-Length or arrives in too many small
 * pieces.
 */
export function readBody(request: IncomingMessage, { maxBytes, reserve }: BodyLimits): Promise<Buffer> {
  const { 'content-length': declared } = request.headers;
  const declaredBytes = declared === undefined ? undefined : Number(declared);
  let buffer = Buffer.alloc(0);
  let receivedBytes = 0;
  let pieces = 0;

  function add(piece: Buffer): void {
    const sizeBytes = receivedBytes + piece.length;
    if (sizeBytes > maxBytes) throw tooLarge();
    pieces += 1;
    if (pieces > FREE_PIECES + sizeBytes / MIN_MEAN_PIECE_BYTES) {
      throw invalidRequest([{ pointer: '', detail: 'arrives in too many small pieces' }]);
    }
    if (declaredBytes === undefined) reserve(piece.length);
    if (sizeBytes > buffer.length) {
      const room = Math.max(sizeBytes, 2 * buffer.length, FIRST_BYTES);
      const larger = Buffer.allocUnsafeSlow(Math.min(room, declaredBytes ?? maxBytes));
      buffer.copy(larger, 0, 0, receivedBytes);
      buffer = larger;
    }
    piece.copy(buffer, receivedBytes);
    receivedBytes = sizeBytes;
  }

  return new Promise((resolve, reject) => {
    const onData = (piece: Buffer) => {
      try {
        add(piece);
      } catch (error) {
        finish();
        reject(error);
      }
    };
    const onEnd = () => {
      finish();
      if (declaredBytes === undefined || receivedBytes === declaredBytes) {
        resolve(buffer.subarray(0, receivedBytes));
      } else {
        reject(new Refusal('InvalidRequest', 'The length of the body differs from Content-Length.'));
      }
    };
    const onError = (error: Error) => {
      finish();
      reject(error);
    };
    function finish(): void {
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
