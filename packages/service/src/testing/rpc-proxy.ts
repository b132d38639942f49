import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RpcCall {
  id: number;
  method: string;
  params: unknown[];
}

/** Responds to a call. If it returns true, it has not responded, and the node does. */
export type Misbehave = (response: ServerResponse, call: RpcCall) => unknown;

/** An endpoint in front of a node, which counts calls and can misbehave. */
export interface RpcProxy {
  url: string;
  /** The methods of the calls so far. */
  methods: string[];
  /** Replaces how it responds, until it is called again without an argument. */
  misbehave(how?: Misbehave): void;
  stop(): Promise<void>;
}

/**
 * Starts an endpoint that passes calls on to a node. Without a node, `misbehave` must say how it responds.
 */
export async function startRpcProxy(nodeUrl = ''): Promise<RpcProxy> {
  const methods: string[] = [];
  let how: Misbehave | undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const call = JSON.parse(body) as RpcCall;
    methods.push(call.method);
    if (how !== undefined && (await how(response, call)) !== true) return;
    const forwarded = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    response.writeHead(forwarded.status, { 'Content-Type': 'application/json' });
    response.end(Buffer.from(await forwarded.arrayBuffer()));
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    methods,
    misbehave: (next) => {
      how = next;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Responds as a node of a chain with one block, on which every call returns nothing. */
export function actAsNode(chainId: number, result = '0x'): Misbehave {
  const results: Record<string, unknown> = {
    eth_chainId: `0x${chainId.toString(16)}`,
    eth_getBlockByNumber: { number: '0x7', hash: `0x${'ab'.repeat(32)}` },
    eth_call: result,
    eth_getCode: '0x00',
  };
  return (response, call) => sendResult(response, call, results[call.method]);
}

/** Responds to a call with a result. */
export function sendResult(response: ServerResponse, { id }: RpcCall, result: unknown): void {
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** Responds to a call with an error. */
export function sendError(response: ServerResponse, { id }: RpcCall, error: object): void {
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}

const onCall =
  (how: Misbehave): Misbehave =>
  (response, call) =>
    call.method === 'eth_call' ? how(response, call) : true;

/** What can be wrong with an endpoint. */
export const MISBEHAVIOURS = {
  'closes connections': (response) => response.destroy(),
  'does not respond to calls': onCall(() => undefined),
  'throttles with HTTP 429': (response) => response.writeHead(429).end(),
  'throttles with an error': (response, call) =>
    sendError(response, call, { code: -32005, message: 'limit exceeded' }),
  'responds HTTP 500 to calls': onCall((response) => response.writeHead(500).end('{}')),
  'reverts with HTTP 500': onCall((response, call) => {
    response.writeHead(500);
    sendError(response, call, { code: 3, message: 'execution reverted' });
  }),
  redirects: (response) => response.writeHead(307, { Location: '/' }).end(),
  'responds HTML': (response) => response.end('<html>'),
  'responds to another request': (response, call) => sendResult(response, { ...call, id: 7_000_000 }, '0x1'),
  'has no block': (response, call) =>
    call.method === 'eth_getBlockByNumber' ? sendResult(response, call, null) : true,
  'does not know its own block': onCall((response, call) =>
    sendError(response, call, { code: -32001, message: 'Block not found' }),
  ),
  'has an internal error': onCall((response, call) =>
    sendError(response, call, { code: -32603, message: 'Internal error' }),
  ),
  'has a malformed error': onCall((response, call) =>
    sendError(response, call, { message: 'execution reverted' }),
  ),
  'has neither result nor error': onCall((response, call) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id })),
  ),
  'has a result that is not hex': onCall((response, call) => sendResult(response, call, '1626ba7e')),
  'sends bytes without an end': onCall((response) => {
    const write = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    };
    response.on('drain', write);
    write();
  }),
} satisfies Record<string, Misbehave>;
