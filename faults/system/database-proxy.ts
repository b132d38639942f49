import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A TCP proxy between the services and PostgreSQL's socket, through which their database fails them. */
export interface DatabaseProxy {
  readonly port: number;
  /** Ends every connection, and every new one at once. */
  cut(): void;
  /** Keeps connections open and passes nothing on, as a network that lost its way does. */
  freeze(): void;
  /** Passes everything on so much later. */
  slowDown(delayMs: number): void;
  /** Passes everything on at once again. */
  heal(): void;
  /** Loses the acknowledgement of the next so many commits, each with its connection. */
  loseCommits(count: number): void;
  /** How many acknowledgements were lost so far. */
  readonly lostCommits: number;
  stop(): Promise<void>;
}

type State = 'whole' | 'cut' | 'frozen';

// A commit by itself, and the statement that accepts operations, which is a transaction of its own.
const COMMITS = ['commit\0', 'insert into operations'];
/** ReadyForQuery outside a transaction: the last bytes of an answer once its transaction is over. */
const IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Listens on a free port and passes connections on to a Unix socket. */
export async function startDatabaseProxy(socketPath: string): Promise<DatabaseProxy> {
  const pairs = new Set<() => void>();
  let state: State = 'whole';
  let delayMs = 0;
  let healed = Promise.withResolvers<void>();
  let commitsToLose = 0;
  let lostCommits = 0;

  function endAll(): void {
    for (const end of pairs) end();
  }

  async function pass(from: Socket, to: Socket, isLost: (chunk: Buffer) => boolean): Promise<void> {
    for await (const chunk of from) {
      if (isLost(chunk)) return;
      if (delayMs > 0) await wait(delayMs);
      if (state === 'frozen') await healed.promise;
      if (!to.write(chunk)) await once(to, 'drain');
    }
  }

  function join(client: Socket): void {
    const server = connect(socketPath);
    let isCommitting = false;
    const end = () => {
      client.destroy();
      server.destroy();
      pairs.delete(end);
    };
    pairs.add(end);
    const noteCommit = (chunk: Buffer) => {
      isCommitting ||= COMMITS.some((text) => chunk.includes(text));
      return false;
    };
    const loseCommit = (chunk: Buffer) => {
      if (!isCommitting || !chunk.subarray(-IDLE.length).equals(IDLE)) return false;
      isCommitting = false;
      if (commitsToLose === 0) return false;
      commitsToLose -= 1;
      lostCommits += 1;
      return true;
    };
    for (const socket of [client, server]) socket.setNoDelay(true).on('error', end).on('close', end);
    pass(client, server, noteCommit)
      .catch(() => undefined)
      .finally(end);
    pass(server, client, loseCommit)
      .catch(() => undefined)
      .finally(end);
  }

  const listener = createServer((client) => {
    if (state === 'cut') client.destroy();
    else join(client);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  return {
    port: (listener.address() as AddressInfo).port,
    cut() {
      state = 'cut';
      endAll();
    },
    freeze() {
      state = 'frozen';
    },
    slowDown(ms) {
      delayMs = ms;
    },
    heal() {
      state = 'whole';
      delayMs = 0;
      healed.resolve();
      healed = Promise.withResolvers();
    },
    loseCommits(count) {
      commitsToLose = count;
    },
    get lostCommits() {
      return lostCommits;
    },
    async stop() {
      listener.close();
      endAll();
      await once(listener, 'close');
    },
  };
}
