import { setTimeout as wait } from 'node:timers/promises';
import type { SupervisedBadge } from '@badge/test-support/supervised-badge';
import pg from 'pg';

const PAUSE_MS = 100;
const CONNECT_TIMEOUT_MS = 2_000;
const WRITE_TIMEOUT_MS = 5_000;
const READINESS_TIMEOUT_MS = 5_000;

/** The result of one probe. Times are those of `performance.now()`. */
export interface Sample {
  beganMs: number;
  endedMs: number;
  isSuccess: boolean;
}

/** Sends probes, one after the other. */
export interface Prober {
  /** Oldest first. */
  readonly samples: Sample[];
  stop(): Promise<void>;
}

/**
 * Calls `probe` until the prober is stopped, and then calls `end`. A probe fails if it returns false or
 * rejects.
 */
function startProber(
  probe: () => Promise<boolean>,
  end: () => Promise<void> = async () => undefined,
): Prober {
  const samples: Sample[] = [];
  const stopping = new AbortController();
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const beganMs = performance.now();
      const isSuccess = await probe().catch(() => false);
      samples.push({ beganMs, endedMs: performance.now(), isSuccess });
      await wait(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await end();
  }
  const running = run();
  return {
    samples,
    stop() {
      stopping.abort();
      return running;
    },
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: WRITE_TIMEOUT_MS,
  });
  // The next query reports a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

// `client.end()` would wait for a server that no longer responds.
function discard(client: pg.Client | undefined): void {
  client?.connection.stream.destroy();
}

// A commit that changes no table, and waits for the synchronous standby like any other.
const write = (client: pg.Client) => client.query("select pg_logical_emit_message(true, 'probe', '')");

/** Probes one server: commits on a connection. Opens a new connection after each failure. */
export function startServerProber(url: string): Prober {
  let client: pg.Client | undefined;
  return startProber(
    async () => {
      try {
        client ??= await connect(url);
        await write(client);
        return true;
      } catch {
        discard(client);
        client = undefined;
        return false;
      }
    },
    async () => discard(client),
  );
}

/**
 * Probes the address of the database: commits on a new connection each time, so that it sees where the
 * address leads.
 */
export function startAddressProber(url: string): Prober {
  return startProber(async () => {
    const client = await connect(url);
    try {
      await write(client);
      return true;
    } finally {
      discard(client);
    }
  });
}

/** Probes the readiness of a process. */
export function startReadinessProber(service: SupervisedBadge): Prober {
  return startProber(async () => {
    const signal = AbortSignal.timeout(READINESS_TIMEOUT_MS);
    const response = await fetch(`${service.url}/readyz`, { signal });
    await response.arrayBuffer();
    return response.status === 200;
  });
}
