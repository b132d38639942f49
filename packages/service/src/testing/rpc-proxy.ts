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

/** Starts an endpoint that passes calls on to a node. Without a node, `misbehave` must say how it responds. */
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

/** Responds to a call with a result. */
export function sendResult(response: ServerResponse, { id }: RpcCall, result: unknown): void {
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** Responds to a call with an error. */
export function sendError(response: ServerResponse, { id }: RpcCall, error: object): void {
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}
