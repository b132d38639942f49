import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { readBody } from './read-body.ts';

/**
 * Sends a body of spaces. Returns the sizes of the body, of its buffer, and of the memory reserved for it.
 */
async function send(sizeBytes: number, { isChunked = false } = {}) {
  let reservedBytes = 0;
  const reserve = (bytes: number) => {
    reservedBytes += bytes;
  };
  const server = createServer(async (request, response) => {
    const body = await readBody(request, { maxBytes: 1_000_000, reserve });
    response.end(
      JSON.stringify({ bodyBytes: body.length, bufferBytes: body.buffer.byteLength, reservedBytes }),
    );
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const body = Buffer.alloc(sizeBytes, ' ');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    method: 'POST',
    body: isChunked ? new Blob([body]).stream() : body,
    // `fetch` requires this option for a stream.
    duplex: 'half',
  });
  return (await response.json()) as { bodyBytes: number; bufferBytes: number; reservedBytes: number };
}

test.each([1, 16_384, 16_385, 300_000, 1_000_000])(
  'the memory that is reserved for a chunked body of %i bytes is the size of its buffer',
  async (bodyBytes) => {
    const sizes = await send(bodyBytes, { isChunked: true });
    expect(sizes).toMatchObject({ bodyBytes, reservedBytes: sizes.bufferBytes });
  },
);

test('the memory that is reserved for a body with Content-Length is its size', async () => {
  expect(await send(40_000)).toEqual({ bodyBytes: 40_000, bufferBytes: 40_000, reservedBytes: 40_000 });
});
