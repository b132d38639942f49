const fastShutdownMs = 30_000;

/** Shuts a PostgreSQL server down: fast, and without a checkpoint if it takes longer than 30 seconds. */
export async function stopProcess(
  kill: (signal: NodeJS.Signals) => void,
  ended: Promise<unknown>,
): Promise<void> {
  kill('SIGINT');
  const impatience = setTimeout(() => kill('SIGQUIT'), fastShutdownMs);
  try {
    await ended;
  } finally {
    clearTimeout(impatience);
  }
}
