/** Runs functions with the same name one after another, in order, and those with different names at the same time. */
export type RunInTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): RunInTurn {
  const lastTurns = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = lastTurns.get(name);
    const turn = before === undefined ? work() : before.then(work, work);
    lastTurns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (lastTurns.get(name) === turn) lastTurns.delete(name);
    }
  };
}
