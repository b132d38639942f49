const INTERVAL_MS = 2_000;

/** Prints how far a command has come, at most every two seconds. */
export interface Progress {
  /** With `part`, the time left is estimated. */
  report(what: string, part?: { done: number; total: number }): void;
}

export function createProgress(print: (line: string) => void, now = () => performance.now()): Progress {
  const startMs = now();
  let printedMs = startMs;
  return {
    report: (what, part) => {
      const nowMs = now();
      if (nowMs - printedMs < INTERVAL_MS) return;
      printedMs = nowMs;
      if (part === undefined || part.done === 0) {
        print(`${what}\n`);
        return;
      }
      const { done, total } = part;
      const leftSeconds = Math.ceil((((nowMs - startMs) / done) * (total - done)) / 1_000);
      print(`${what}, ${Math.floor((done / total) * 100)} %, about ${leftSeconds} s left\n`);
    },
  };
}
