import { join } from 'node:path';
import { readApiState } from './check/api-state.ts';
import { readDatabaseState, waitUntilFinal } from './check/database-state.ts';
import type { Evidence } from './check/evidence.ts';
import { toHistory } from './check/history.ts';
import { judge } from './check/judge.ts';
import { startSampler } from './check/sampler.ts';
import type { Tally } from './check/tally.ts';
import { type Journal, type JournalEntry, openJournal, readJournal } from './journal.ts';
import { type Client, type ClientParts, createClient } from './load/client.ts';
import { startLoad, type UserCounts } from './load/load.ts';
import { startWebhookReceiver } from './load/webhook-receiver.ts';
import type { Random } from './random.ts';
import { type SystemUnderLoad, waitUntilUp } from './system/system.ts';

// A worker that was killed can hold the lease of the webhook for 40 seconds, and its job comes back within a
// minute.
const DELIVERY_TIMEOUT_MS = 150_000;

interface JudgedLoadOptions {
  system: SystemUnderLoad;
  /** The journal is written here. */
  directory: string;
  random: Random;
  seed: number;
  /** Part of every headline. */
  runName: string;
  userCounts: UserCounts;
  onAccepted: ClientParts['onAccepted'];
  /** Whether the events are also sent to a webhook, whose receiver often misbehaves. */
  hasWebhook: boolean;
}

/** A load whose journal is compared with the database and the API at its end. */
export interface JudgedLoad {
  client: Client;
  journal: Journal;
  /** Ends the load, waits until every operation is final, and checks every invariant. */
  finish(settleTimeoutMs: number): Promise<Judgement>;
}

export interface Judgement {
  tally: Tally;
  entries: (JournalEntry & { atMs: number })[];
  evidence: Evidence;
  /** From the end of the faults until every operation was final, or until the timeout. */
  settleMs: number;
}

/** Starts the load and its journal, and the sampler of the database. */
export async function startJudgedLoad(options: JudgedLoadOptions): Promise<JudgedLoad> {
  const { system, directory, random, seed, runName, userCounts, onAccepted, hasWebhook } = options;
  const journalPath = join(directory, 'journal.ndjson');
  const journal = await openJournal(journalPath);
  const client = createClient({ system, journal, random: random.fork('client'), onAccepted });
  const { apiKey, adminKey, databaseUrl } = system;
  const receiver = hasWebhook
    ? await startWebhookReceiver({ client, journal, random: random.fork('receiver'), adminKey, databaseUrl })
    : undefined;
  const load = startLoad({
    client,
    journal,
    random,
    seed,
    runName,
    apiKey,
    adminKey,
    databaseUrl,
    userCounts,
  });
  const sampler = startSampler(databaseUrl, journal);

  return {
    client,
    journal,
    async finish(settleTimeoutMs) {
      const faultsEndedMs = performance.now();
      client.giveUpAfter(settleTimeoutMs);
      await waitUntilUp(system);
      await load.stop();
      const unfinishedOperations = await waitUntilFinal(
        databaseUrl,
        settleTimeoutMs - (performance.now() - faultsEndedMs),
      );
      const settleMs = performance.now() - faultsEndedMs;
      const undelivered = (await receiver?.finish(DELIVERY_TIMEOUT_MS)) ?? 0;
      receiver?.stop();
      await sampler.stop();
      await journal.close();

      const entries = await readJournal(journalPath);
      const history = toHistory(entries);
      const database = await readDatabaseState(databaseUrl);
      const api = await readApiState(system, history);
      const unexpectedExits = system.processes.flatMap(({ unexpectedEnds }) => unexpectedEnds);
      const evidence: Evidence = {
        history,
        database,
        api,
        unfinishedOperations,
        unexpectedExits,
        hasWebhook,
        undelivered,
      };
      return { tally: judge(evidence), entries, evidence, settleMs };
    },
  };
}
