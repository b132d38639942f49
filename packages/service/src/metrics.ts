import { ERRORS } from '@badge/protocol';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { BACKUP_PROBLEMS, type BackupStatus } from './backup-status.ts';
import { VERSION } from './version.ts';

// Every 10 ms, as by default, an idle process would use 1 % of a core for it.
const EVENT_LOOP_SAMPLE_MS = 100;

export interface Metrics {
  registry: Registry;
  requestSeconds: Histogram<'method' | 'route' | 'status'>;
  errors: Counter<'name'>;
  settledOperations: Counter;
  droppedConnections: Counter;
  refusedOperations: Counter;
  webhookRequests: Counter<'result'>;
  mails: Counter<'result'>;
  chainReads: Counter<'result'>;
  drawnPictures: Counter;
  pictureCacheErrors: Counter;
  waitingRequests: Gauge<'resource'>;
  refusedRequests: Counter<'resource' | 'limit'>;
}

interface Backlog {
  pending: number;
  isolated: number;
  oldestAgeMs: number;
}

const UNKNOWN_BACKLOG: Backlog = { pending: Number.NaN, isolated: Number.NaN, oldestAgeMs: Number.NaN };

interface MetricSources {
  role: string;
  readBacklog: () => Promise<Backlog>;
  countDroppedLogLines: () => number;
  countQueuedPictures: () => number;
  /** Null if the process is not told where the status of the backups is. */
  readBackup: (() => Promise<BackupStatus>) | null;
}

/** Creates the metrics of a process. Each scrape calls the sources. */
export function createMetrics({
  role,
  readBacklog,
  countDroppedLogLines,
  countQueuedPictures,
  readBackup,
}: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const registers = [registry];
  new Gauge({
    name: 'badge_build_info',
    help: 'The version of the service and of Node, and the role of the process. Always 1.',
    labelNames: ['version', 'node', 'role'],
    registers,
  }).set({ version: VERSION, node: process.versions.node, role }, 1);
  let runningRead: Promise<Backlog> | undefined;

  // The three gauges of the backlog are collected at the same time, and share one read.
  function readSharedBacklog(): Promise<Backlog> {
    // If the database is unavailable, the three gauges are NaN, and the other metrics are still served.
    runningRead ??= readBacklog()
      .catch(() => UNKNOWN_BACKLOG)
      .finally(() => {
        runningRead = undefined;
      });
    return runningRead;
  }

  new Gauge({
    name: 'badge_operations_oldest_pending_seconds',
    help: 'Age of the oldest pending operation.',
    registers,
    async collect() {
      this.set((await readSharedBacklog()).oldestAgeMs / 1_000);
    },
  });
  new Gauge({
    // Earlier releases called isolated operations "set aside". The metric keeps its name.
    name: 'badge_operations_set_aside',
    help: 'Operations that failed in a batch and are retried one by one.',
    registers,
    async collect() {
      this.set((await readSharedBacklog()).isolated);
    },
  });
  new Gauge({
    name: 'badge_operations_pending',
    help: 'Operations that wait to be settled, except isolated ones.',
    registers,
    async collect() {
      this.set((await readSharedBacklog()).pending);
    },
  });
  new Counter({
    name: 'badge_log_dropped_lines_total',
    help: 'Log lines dropped because stderr failed, or its reader was too slow.',
    registers,
    collect() {
      this.reset();
      this.inc(countDroppedLogLines());
    },
  });
  new Gauge({
    name: 'badge_pictures_queued',
    help: 'Pictures that wait to be drawn by this process.',
    registers,
    collect() {
      this.set(countQueuedPictures());
    },
  });
  if (readBackup !== null) addBackupMetrics(registers, readBackup);

  /** Creates a counter whose series exist from the start: Prometheus sees no increase from nothing. */
  function countBy<Label extends string>(
    label: Label,
    values: string[],
    options: { name: string; help: string },
  ): Counter<Label> {
    const counter = new Counter<Label>({ ...options, labelNames: [label], registers });
    for (const value of values) counter.inc({ [label]: value } as Record<Label, string>, 0);
    return counter;
  }

  return {
    registry,
    requestSeconds: new Histogram({
      name: 'badge_http_request_seconds',
      help: 'Duration of requests, by route.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
      registers,
    }),
    settledOperations: new Counter({
      name: 'badge_operations_settled_total',
      help: 'Operations settled by this process.',
      registers,
    }),
    droppedConnections: new Counter({
      name: 'badge_http_dropped_connections_total',
      help: 'New connections closed because their address, or all addresses together, have too many.',
      registers,
    }),
    refusedOperations: new Counter({
      name: 'badge_operations_refused_total',
      help: 'Operations rejected by this process because of the backlog of their community, or of all communities.',
      registers,
    }),
    errors: countBy('name', Object.keys(ERRORS), {
      name: 'badge_http_errors_total',
      help: 'Responses with an error, by its name.',
    }),
    webhookRequests: countBy('result', ['success', 'failure'], {
      name: 'badge_webhook_requests_total',
      help: 'Requests of webhooks sent by this process, by their result: success or failure.',
    }),
    mails: countBy('result', ['sent', 'refused', 'deferred', 'unavailable'], {
      name: 'badge_mails_total',
      help: 'Attempts of this process to send a mail, by their result: sent, refused, deferred or unavailable.',
    }),
    chainReads: countBy('result', ['success', 'failure'], {
      name: 'badge_chain_reads_total',
      help: 'Reads of chains by this process through one endpoint each, by their result: success or failure.',
    }),
    drawnPictures: new Counter({
      name: 'badge_pictures_drawn_total',
      help: 'Pictures drawn by this process.',
      registers,
    }),
    waitingRequests: new Gauge({
      name: 'badge_http_waiting_requests',
      help: 'Requests that wait for their share of a resource of this process.',
      labelNames: ['resource'],
      registers,
    }),
    refusedRequests: new Counter({
      name: 'badge_http_resource_refusals_total',
      help: 'Requests that were refused a resource because their caller, or all callers together, use too much of it.',
      labelNames: ['resource', 'limit'],
      registers,
    }),
    pictureCacheErrors: new Counter({
      name: 'badge_picture_cache_errors_total',
      help: 'Pictures that could not be written to or read from the cache on disk.',
      registers,
    }),
  };
}

/** Each is NaN while nothing is known. */
function addBackupMetrics(registers: Registry[], readBackup: () => Promise<BackupStatus>): void {
  new Gauge({
    name: 'badge_backup_problem',
    help: 'Whether the backups have this problem (1) or not (0).',
    labelNames: ['problem'],
    registers,
    async collect() {
      const { problems } = await readBackup();
      for (const problem of BACKUP_PROBLEMS) this.set({ problem }, problems.includes(problem) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'badge_backup_last_success_timestamp_seconds',
    help: 'When the last good backup ended.',
    registers,
    async collect() {
      this.set(((await readBackup()).successAtMs ?? Number.NaN) / 1_000);
    },
  });
  new Gauge({
    name: 'badge_backup_bytes',
    help: 'Size of the last good backup.',
    registers,
    async collect() {
      this.set((await readBackup()).successBytes ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'badge_backup_archive_bytes',
    help: 'Size of the archived WAL when the last backup ended.',
    registers,
    async collect() {
      this.set((await readBackup()).archiveBytes ?? Number.NaN);
    },
  });
}
