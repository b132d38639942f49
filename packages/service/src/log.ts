import { type Logger, pino } from 'pino';
import { stderr } from './output.ts';

/** Creates the log: JSON lines on stderr. */
export function createLog(level: string): Logger {
  return pino({ level, serializers: SERIALIZERS }, stderr);
}

// At the level `trace`, the multipart parser logs its options, which contain the request's headers and therefore the API key.
const SERIALIZERS = { err: (error: unknown) => toLogEntry(error), busboyOptions: () => undefined };

const MAX_CAUSES = 5;

/**
 * Returns the properties of an error that are logged. The others may contain a failed row with personal data, the text
 * of a query, a URL with a password, or a whole connection.
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
