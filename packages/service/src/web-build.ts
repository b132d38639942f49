import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** Where `npm run prepare` writes the web pages. */
const WEB_BUILD_DIRECTORY = join(import.meta.dirname, '../../web/dist');

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tgz': 'application/gzip',
  '.webp': 'image/webp',
};

export type ContentCoding = 'br' | 'gzip';
const EXTENSIONS: Record<ContentCoding, string> = { br: '.br', gzip: '.gz' };

/** A file of the web pages, such as a script, with its compressed forms. */
export interface WebFile {
  contentType: string;
  /** SHA-256 of the uncompressed bytes. */
  hash: string;
  bytes: Buffer;
  compressed: Partial<Record<ContentCoding, Buffer>>;
}

/** The HTML of a page, before and after its own tags. */
export interface WebHtml {
  start: string;
  end: string;
}

/** The built web pages. */
export interface WebBuild {
  /**
   * The HTML of all pages but the console, before and after the tags that differ: the title and the
   * description.
   */
  html: WebHtml;
  /** The HTML of the console. */
  consoleHtml: WebHtml;
  /** The other files, by their paths, such as `/assets/index-1a2b3c4d.js`. */
  files: Map<string, WebFile>;
}

let installed: Promise<WebBuild | null> | undefined;

/** The page of bad requests and their responses. Null if `npm run prepare` has not written it. */
export async function readBadInputPage(): Promise<Buffer | null> {
  return await readFile(join(WEB_BUILD_DIRECTORY, 'bad-input.html')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** The web pages of this installation, which a process reads once. */
export async function readInstalledWebBuild(): Promise<WebBuild | null> {
  installed ??= readWebBuild(WEB_BUILD_DIRECTORY);
  return await installed;
}

/**
 * Reads all files of the web pages into memory, so that an upgrade that replaces them does not mix two
 * releases. Returns null if the pages are not built.
 */
export async function readWebBuild(directory: string): Promise<WebBuild | null> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(ignoreMissing);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const contents = new Map<string, Buffer>();
  for (const path of paths) contents.set(path.slice(directory.length), await readFile(path));
  const html = contents.get('/index.html');
  const consoleHtml = contents.get('/console.html');
  if (html === undefined || consoleHtml === undefined) return null;
  const files = new Map<string, WebFile>();
  for (const [path, bytes] of contents) {
    if (extname(path) === '.html' || Object.values(EXTENSIONS).includes(extname(path))) continue;
    files.set(path, {
      contentType: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
      hash: createHash('sha256').update(bytes).digest('base64url'),
      bytes,
      compressed: findCompressed(contents, path),
    });
  }
  return { html: splitHtml(html.toString()), consoleHtml: splitHtml(consoleHtml.toString()), files };
}

function ignoreMissing(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function findCompressed(contents: Map<string, Buffer>, path: string): WebFile['compressed'] {
  const codings = Object.entries(EXTENSIONS) as [ContentCoding, string][];
  return Object.fromEntries(
    codings.flatMap(([coding, extension]) => {
      const bytes = contents.get(path + extension);
      return bytes === undefined ? [] : [[coding, bytes]];
    }),
  );
}

function splitHtml(html: string): WebHtml {
  const [start, end, ...others] = html
    .replace(/<meta\s+name="description"[^>]*>/, '')
    .split(/<title>[^<]*<\/title>/);
  if (start === undefined || end === undefined || others.length > 0) {
    throw new Error('the HTML of the web pages must have one title');
  }
  return { start, end };
}
