import { type Logger, pino } from 'pino';

/** Makes the log: JSON lines on stderr, where what was logged before a crash is too. */
export function createLog(level: string): Logger {
  return pino({ level, serializers: SERIALIZERS }, pino.destination({ dest: 2, sync: true }));
}

// The parser of forms logs what it was told at the level `trace`: the request's headers too, with the key.
const SERIALIZERS = { err: (error: unknown) => toLogEntry(error), busboyOptions: () => undefined };

const DEEPEST_CAUSE = 5;

/**
 * What the log tells of an error: what went wrong and where. What else it carries stays out: a failed row with
 * people's addresses, the text of a query, an address with a password, a whole connection.
 */
function toLogEntry(error: unknown, depth = 0): object | undefined {
  if (!(error instanceof Error)) return error === undefined ? undefined : { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, table, constraint, routine } = error as unknown as Record<string, unknown>;
  const isDeepest = depth === DEEPEST_CAUSE;
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
