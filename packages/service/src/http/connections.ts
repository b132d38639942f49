import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { Refusal } from '../domain/refusal.ts';
import { answerTunnel } from './broken-request.ts';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body may take as long as any request, while it does not pause for long. */
    isUpload?: boolean;
  }
}

/** How long a client may take for what, and how many may be connected. */
export interface ConnectionBounds {
  headersMs: number;
  bodyMs: number;
  uploadPauseMs: number;
  /** From the first byte of a request to its last. */
  requestMs: number;
  /** Without a byte in either direction; longer than any request is worked on before it is answered. */
  silenceMs: number;
  /** Until the answer was taken to its last byte. */
  answerMs: number;
  /** How often the bounds of headers and requests are looked at. */
  checkMs: number;
  connections: number;
}

export const CONNECTION_BOUNDS: ConnectionBounds = {
  headersMs: 15_000,
  bodyMs: 30_000,
  uploadPauseMs: 15_000,
  requestMs: 120_000,
  silenceMs: 75_000,
  answerMs: 600_000,
  checkMs: 1_000,
  connections: 10_000,
};

const DROPS_LOGGED_EVERY_MS = 10_000;

/** Holds clients to the bounds that Node's server does not hold them to by its options. */
export function addConnectionBounds(
  app: FastifyInstance,
  { context, metrics, bounds }: { context: Context; metrics: Metrics; bounds: ConnectionBounds },
): void {
  boundConnections(app, { log: context.log, metrics, connections: bounds.connections });
  app.server.on(
    'connect',
    answerTunnel(() => context.settings.publicUrl),
  );

  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    const timer = setTimeout(() => raw.socket.destroy(), bounds.answerMs);
    timer.unref();
    reply.raw.once('close', () => clearTimeout(timer));
    if (hasBody(request)) boundBody(request, reply, bounds);
  });
}

interface ConnectionLimit {
  log: Context['log'];
  metrics: Metrics;
  connections: number;
}

function boundConnections({ server }: FastifyInstance, { log, metrics, connections }: ConnectionLimit): void {
  server.maxConnections = connections;
  let loggedMs = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    metrics.droppedConnections.inc();
    if (performance.now() - loggedMs < DROPS_LOGGED_EVERY_MS) return;
    loggedMs = performance.now();
    log.warn({ connections }, 'too many connections: new ones are dropped');
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function boundBody(
  { raw, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  { bodyMs, uploadPauseMs }: ConnectionBounds,
): void {
  const { isUpload = false } = routeOptions.config;
  let seenBytes = raw.socket.bytesRead;
  const timer = setInterval(
    () => {
      const { bytesRead } = raw.socket;
      if (isUpload && bytesRead > seenBytes) {
        seenBytes = bytesRead;
        return;
      }
      clearInterval(timer);
      if (raw.complete) return;
      // Whoever reads the body answers; what is left of one that was refused is not waited for.
      if (reply.sent || raw.listenerCount('error') === 0) raw.socket.destroy();
      else raw.emit('error', new Refusal('RequestTimeout', 'The body was not sent in time.'));
    },
    isUpload ? uploadPauseMs : bodyMs,
  );
  // Some requests end without either event: their timer must not hold up a stop.
  timer.unref();
  for (const end of ['end', 'close']) raw.once(end, () => clearInterval(timer));
}

/** Notes the answers of each connection; finds those that go before one to what could not be read behind them. */
export function watchAnswers({ server }: FastifyInstance): (socket: Duplex) => ServerResponse[] {
  const answers = new WeakMap<Duplex, Set<ServerResponse>>();
  server.on('request', ({ socket }, answer) => {
    const ofSocket = answers.get(socket) ?? new Set();
    answers.set(socket, ofSocket.add(answer));
    answer.once('close', () => ofSocket.delete(answer));
  });
  return (socket) =>
    [...(answers.get(socket) ?? [])].filter(({ req, headersSent }) => req.complete || headersSent);
}
