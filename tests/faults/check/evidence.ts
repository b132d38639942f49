import type { ApiState } from './api-state.ts';
import type { DatabaseState } from './database-state.ts';
import { type History, operationIdOf, type SentRequest } from './history.ts';

/** What the checks compare after a run. */
export interface Evidence {
  history: History;
  database: DatabaseState;
  api: ApiState;
  /** Operations that did not become final in time. */
  unfinishedOperations: number;
  /** Descriptions of processes that exited by themselves. */
  unexpectedExits: string[];
  /** Whether events were also sent to a webhook. */
  hasWebhook: boolean;
  /** Events that were not delivered in time. */
  undelivered: number;
}

/** Requests refused with this error, either immediately or when their operation failed. */
export function refusedWith(name: string, { history, database }: Evidence): SentRequest[] {
  return history.requests.filter(
    ({ results, locations }) =>
      results.some((result) => result.outcome === 'refused' && result.name === name) ||
      [...locations].some((location) => database.operations.get(operationIdOf(location))?.errorName === name),
  );
}
