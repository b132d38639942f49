import { type Logger, pino } from 'pino';
import { stderr } from './output.ts';

/** Creates the log: JSON lines on stderr. */
export function createLog(level: string): Logger {
  return pino({ level, serializers: SERIALIZERS }, stderr);
}

// At the level `trace`, the multipart parser logs its options, which contain the request's headers and
// therefore the API key.
const SERIALIZERS = { err: (error: unknown) => toLogEntry(error), busboyOptions: () => undefined };

const MAX_CAUSES = 5;

/**
 * Returns the properties of an error that are logged. The others may contain a failed row with personal data,
 * the text of a query, a URL with a password, or a whole connection.
 */
function toLogEntry(error: unknown, depth = 0): object | undefined {
  if (!(error instanceof Error)) return error === undefined ? undefined : { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, table, constraint, routine } = error as unknown as Record<string, unknown>;
  const isDeepest = depth === MAX_CAUSES;
  return {
    type: error.constructor.name || name,
    message,
    stack,
    code,
    table,
    constraint,
    routine,
    ...(cause === undefined || isDeepest ? {} : { cause: toLogEntry(cause, depth + 1) }),
    ...(error instanceof AggregateError && !isDeepest
      ? { errors: error.errors.map((each) => toLogEntry(each, depth + 1)) }
      : {}),
  };
}

const REPEAT_INTERVAL_MS = 1_000;
const MAX_KINDS = 100;

/**
 * Returns a function that logs an error with `write`, at most once a second for each kind of error, so that
 * an outage does not fill the disk. `repeated` is the number of earlier errors of the same kind that were not
 * logged. While the lines of 100 kinds are being limited, errors of other kinds are not logged.
 */
export function limitRepeatedLines(
  write: (error: unknown, repeated: number) => void,
): (error: unknown) => void {
  const kinds = new Map<string, { latest: unknown; repeated: number }>();

  function startInterval(kind: string): void {
    const state = { latest: undefined as unknown, repeated: 0 };
    kinds.set(kind, state);
    setTimeout(() => {
      kinds.delete(kind);
      if (state.repeated === 0) return;
      write(state.latest, state.repeated - 1);
      startInterval(kind);
    }, REPEAT_INTERVAL_MS).unref();
  }

  return (error) => {
    const kind = findKind(error);
    const state = kinds.get(kind);
    if (state !== undefined) {
      state.latest = error;
      state.repeated += 1;
    } else if (kinds.size < MAX_KINDS) {
      write(error, 0);
      startInterval(kind);
    }
  };
}

function findKind(error: unknown): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  return `${name} ${code ?? message}`;
}
