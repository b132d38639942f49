import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { makeKey } from '../domain/api-keys/rules.ts';

/** Returns a unique text. A log or a file that contains it has leaked a secret. */
export const canary = (name: string) => `canary-${name}-${randomBytes(12).toString('hex')}`;

/** Secrets that a client can send, by mistake or on purpose, and that must not leak. */
export function makeClientSecrets() {
  return {
    'a wrong key': makeKey('sandbox'),
    'a key of another shape': canary('key'),
    'an Idempotency-Key': canary('idempotency'),
    'a cookie': canary('cookie'),
    'a password': canary('password'),
  };
}

export type ClientSecrets = ReturnType<typeof makeClientSecrets>;

/** The texts that a service wrote, by the name of the file or output. */
export type Written = Record<string, string>;

/**
 * Finds secrets in texts. Each result names the secret, its encoding and the text. A secret of bytes is a
 * `Buffer`; texts that can contain it as it is must be read as latin1.
 */
export function findSecrets(secrets: Record<string, string | Buffer>, written: Written): string[] {
  const found: string[] = [];
  for (const [secret, value] of Object.entries(secrets)) {
    if (value.length < 12) throw new Error(`the secret "${secret}" is too short: other texts can contain it`);
    const encodings = encodeSecret(value);
    for (const [encoding, encoded] of Object.entries(encodings)) {
      // A secret that an encoding does not change is reported only as plain. This depends on its random
      // bytes.
      const texts = encoded.filter((text) => encoding === 'plain' || !encodings.plain.includes(text));
      for (const [place, content] of Object.entries(written)) {
        const isFound = texts.some((text) => content.includes(text));
        if (isFound) found.push(`${secret}, ${encoding}, in ${place}`);
      }
    }
  }
  return found;
}

function encodeSecret(value: string | Buffer): { plain: string[] } & Record<string, string[]> {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  // Each byte is a character.
  const secret = typeof value === 'string' ? value : value.toString('latin1');
  const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return {
    plain: [secret],
    'in JSON': [JSON.stringify(secret).slice(1, -1)],
    'URL-encoded': [encodeURIComponent(secret), escaped, escaped.toUpperCase()],
    hex: [hex, hex.toUpperCase()],
    // As Node prints a Buffer, and as JSON and JavaScript write it.
    'as bytes': [hex.replaceAll(/(..)(?!$)/g, '$1 '), ...[',', ', '].map((comma) => [...bytes].join(comma))],
    // Base64 encodes three bytes at a time, so the text depends on the position of the secret in the encoded
    // bytes.
    base64: [0, 1, 2].flatMap((offset) => {
      // The first and last characters are left out: they also encode the bytes before and after the secret.
      const whole = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString('base64')
        .replace(/=+$/, '');
      const part = whole.slice(offset === 0 ? 0 : offset + 1, -1);
      return [part, part.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  };
}

/** Reads all files of a directory as latin1, which keeps every byte. */
export async function readFiles(directory: string): Promise<Written> {
  const written: Written = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    // A file that was deleted in the meantime counts as empty.
    const content = await readFile(file, 'latin1').catch(() => '');
    written[relative(directory, file)] = content;
  }
  return written;
}

/** Returns the command lines of all processes. */
export async function readCommandLines(): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'args='], { maxBuffer: 2 ** 26 });
  return stdout;
}

/** Returns the status, headers and body of a response. */
export async function readWhole(response: Response): Promise<string> {
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return [response.status, ...headers, await response.text()].join('\n');
}

/** Sends raw bytes, valid HTTP or not, and reads the response until the connection ends. */
export async function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return await text(socket);
}
