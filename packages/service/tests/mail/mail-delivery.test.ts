import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createSmtpTransport } from '../../src/mail/mail-transport.ts';

test('a server that says nothing is given up after the time for silence', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const server = { host: '127.0.0.1', port, isTls: false, user: null, password: null };
  const transport = createSmtpTransport(server, { silenceMs: 300 });
  const result = await transport.send({
    mailId: randomUUID(),
    from: { name: '', address: 'badges@example.org' },
    to: { name: '', address: 'ada@example.org' },
    subject: 'a',
    text: 'a',
    html: 'a',
    picture: { content: Buffer.of(1), contentType: 'image/png' },
    unsubscribeUrl: null,
  });
  expect(result).toMatchObject({ kind: 'unavailable', words: expect.stringMatching(/ETIMEDOUT|Greeting/) });
  await transport.close();
  silent.close();
});
