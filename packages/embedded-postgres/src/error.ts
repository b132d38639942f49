/** The embedded PostgreSQL cannot run. The one-line message says why, and what the operator can do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  constructor(message: string, options?: ErrorOptions) {
    super(joinLines(message), options);
  }
}

// Messages quote the output of programs.
function joinLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' | ');
}
