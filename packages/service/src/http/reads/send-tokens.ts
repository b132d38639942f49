import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Piece, Reader } from '../../domain/reader.ts';
import { isNotModified, makeEtag } from '../etag.ts';
import { sendBody, sendPageInPieces, sendPieces } from './send-page.ts';
import type { Dependency } from './token-responses.ts';

interface ListedToken {
  tokenId: number;
}

interface Page {
  limit: number;
  offset: number;
}

interface TokenPage extends Page {
  order: 'asc' | 'desc';
}

/**
 * Sends a token, or a body that depends only on one token. Sends a stored response if there is one. Otherwise
 * reads the body within the limits of the client's address, and stores it under the key. `idOf` returns the
 * id of the token. `hasOwners` says whether the body contains the owners of the token. If `mayStore` returns
 * false, it is not stored.
 */
export async function sendToken<Body>(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    key,
    read,
    idOf,
    hasOwners = false,
    mayStore = () => true,
  }: {
    key: string;
    read: (reader: Reader) => Promise<Body>;
    idOf: (body: Body) => number;
    hasOwners?: boolean;
    mayStore?: () => boolean;
  },
): Promise<FastifyReply> {
  const { tokenResponses } = request.server;
  const stored = await tokenResponses.find(key);
  if (stored !== undefined) return await sendStored(request, reply, stored);
  const reader = request.server.openReader(request, reply);
  const body = await tokenResponses.read(key, async () => {
    const result = await read(reader);
    const id = idOf(result);
    const token = { lowestId: id, highestId: id };
    const response = Buffer.from(JSON.stringify(result));
    const dependency = { content: token, membership: token, hasOwners };
    return { response, stored: mayStore() ? { body: response, dependency } : null };
  });
  return sendBody(reply, reader, body);
}

/**
 * Sends bytes that depend only on one token and its owners, with an `ETag`, or nothing if the client has them
 * (304). Sends stored bytes if there are any. Otherwise reads them, and stores them under the key.
 */
export async function sendTokenBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    key,
    contentType,
    read,
  }: {
    key: string;
    contentType: string;
    read: (reader: Reader) => Promise<{ id: number; bytes: Buffer }>;
  },
): Promise<FastifyReply> {
  const { tokenResponses } = request.server;
  const stored = await tokenResponses.find(key);
  const reader = request.server.openReader(request, reply);
  const body =
    stored ??
    (await tokenResponses.read(key, async () => {
      const { id, bytes } = await read(reader);
      const token = { lowestId: id, highestId: id };
      const dependency = { content: token, membership: token, hasOwners: true };
      return { response: bytes, stored: { body: bytes, dependency } };
    }));
  if (isNotModified(request, reply, etagOf(body))) return reply.send();
  if (stored !== undefined) await reader.hold(body.length);
  reader.startWriting(body.length);
  return reply.type(contentType).send(body);
}

// The etags of stored bytes, which are sent many times.
const etags = new WeakMap<Buffer, string>();

function etagOf(body: Buffer): string {
  let etag = etags.get(body);
  if (etag === undefined) {
    etag = makeEtag(body);
    etags.set(body, etag);
  }
  return etag;
}

/**
 * Sends a page of tokens, like `sendStoredPage`. It is not stored if it is empty. Without a key, nothing is
 * stored.
 */
export async function sendTokenPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { key, page }: { key: string | null; page: TokenPage },
  list: (reader: Reader) => AsyncGenerator<Piece<ListedToken>>,
): Promise<FastifyReply> {
  if (key === null) return await sendPageInPieces(request, reply, page, list);
  const dependencyOf = (items: ListedToken[]) => findDependency(items, page);
  return await sendStoredPage(request, reply, { key, page, dependencyOf }, list);
}

/**
 * Sends a page that depends only on tokens. Sends a stored response if there is one. Otherwise reads the page
 * piece by piece, like `sendPageInPieces`, and stores it under the key if it has one piece, unless
 * `dependencyOf` returns null.
 */
export async function sendStoredPage<Item extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    key,
    page: { limit, offset },
    dependencyOf,
  }: { key: string; page: Page; dependencyOf: (items: Item[]) => Dependency | null },
  list: (reader: Reader) => AsyncGenerator<Piece<Item>>,
): Promise<FastifyReply> {
  const { tokenResponses } = request.server;
  const stored = await tokenResponses.find(key);
  if (stored !== undefined) return await sendStored(request, reply, stored);
  const reader = request.server.openReader(request, reply);
  const pieces = list(reader);
  const first = await tokenResponses.read<Buffer | Piece<Item>>(key, async () => {
    const { value: piece } = await pieces.next();
    if (piece?.isLast === false) return { response: piece, stored: null };
    const items = piece?.items ?? [];
    const body = Buffer.from(JSON.stringify({ limit, offset, data: items }));
    const dependency = dependencyOf(items);
    return { response: body, stored: dependency && { body, dependency } };
  });
  if (Buffer.isBuffer(first)) return sendBody(reply, reader, first);
  return sendPieces(request, reply, { reader, page: { limit, offset }, first, rest: pieces });
}

async function sendStored(request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<FastifyReply> {
  const reader = request.server.openReader(request, reply);
  await reader.hold(body.length);
  return sendBody(reply, reader, body);
}

// Returns null for an empty page. If a page is full, tokens after its last token do not change it.
function findDependency(items: ListedToken[], { limit, order }: TokenPage): Dependency | null {
  const [first, last] = [items.at(0)?.tokenId, items.at(-1)?.tokenId];
  if (first === undefined || last === undefined) return null;
  const isFull = items.length === limit;
  return {
    content: { lowestId: Math.min(first, last), highestId: Math.max(first, last) },
    membership: {
      lowestId: isFull && order === 'desc' ? last : Number.NEGATIVE_INFINITY,
      highestId: isFull && order === 'asc' ? last : Number.POSITIVE_INFINITY,
    },
    hasOwners: false,
  };
}
