/**
 * The embedded PostgreSQL cannot run. The one-line message says why and, where possible, what the operator
 * can do.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  constructor(message: string, options?: ErrorOptions) {
    super(joinLines(message), options);
  }
}

// Messages may quote the output of programs, which has several lines.
function joinLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' | ');
}
