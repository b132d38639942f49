const INTERVAL_MS = 2_000;

/** Prints how far a command has come, at most every two seconds. */
export interface Progress {
  /** With `part`, the time left is estimated. */
  report(what: string, part?: { done: number; total: number }): void;
}

export function createProgress(print: (line: string) => void, now = () => performance.now()): Progress {
  let printedMs = now();
  let startMs = printedMs;
  let lastDone = 0;
  return {
    report: (what, part) => {
      const nowMs = now();
      const done = part?.done ?? 0;
      // Another part of the work begins. It has another speed.
      if (done < lastDone) startMs = nowMs;
      lastDone = done;
      if (nowMs - printedMs < INTERVAL_MS) return;
      printedMs = nowMs;
      if (part === undefined || done === 0 || nowMs === startMs) {
        print(`${what}\n`);
        return;
      }
      const { total } = part;
      const leftSeconds = Math.ceil((((nowMs - startMs) / done) * (total - done)) / 1_000);
      print(`${what}, ${Math.floor((done / total) * 100)} %, about ${leftSeconds} s left\n`);
    },
  };
}
