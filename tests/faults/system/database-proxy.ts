import { type DatabaseProxy, startDatabaseProxy } from '@badge/test-support/tcp-proxy';

/**
 * A database proxy that can also lose the acknowledgements of commits, and hold back the changes of tokens.
 */
export interface LossyDatabaseProxy extends DatabaseProxy {
  /** Drops the acknowledgements of the next `count` commits, and closes their connections. */
  loseCommits(count: number): void;
  /** How many acknowledgements were lost so far. */
  countLostCommits(): number;
  /** Holds back the responses to reads of the changes of tokens, until `releaseTokenChanges`. */
  holdTokenChanges(): void;
  releaseTokenChanges(): void;
}

const COMMIT = 'commit\0';
// The statement that accepts operations commits without a COMMIT. Each connection sends its text once, to
// prepare it under a name, and later only this name.
const ACCEPTS_OPERATIONS = 'insert into operations';
const NAME_TO_PREPARE = /P[\s\S]{4}(\w+)\0/;
// Each read of the changes of tokens sends this name of its prepared statement. The other statements of its
// connection are not held back, unless they wait behind it.
const READS_CHANGES = 'token changes\0';
/** The message ReadyForQuery with the status idle. A response ends with it if no transaction is open. */
const IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export async function startLossyDatabaseProxy(databaseUrl: string): Promise<LossyDatabaseProxy> {
  let commitsToLose = 0;
  let lostCommits = 0;
  let changesReleased = Promise.resolve();
  let releaseTokenChanges: () => void = () => undefined;
  const proxy = await startDatabaseProxy(databaseUrl, () => {
    const commits = [COMMIT, ACCEPTS_OPERATIONS];
    let isCommitting = false;
    let readsChanges = false;
    // Returns false if the proxy must drop the chunk and close the connection.
    return async (chunk, from) => {
      if (from === 'client') {
        if (chunk.includes(ACCEPTS_OPERATIONS)) {
          const [, name] = NAME_TO_PREPARE.exec(chunk.toString('latin1')) ?? [];
          if (name !== undefined) commits.push(`\0${name}\0`);
        }
        isCommitting ||= commits.some((text) => chunk.includes(text));
        readsChanges = chunk.includes(READS_CHANGES);
        return true;
      }
      if (readsChanges) await changesReleased;
      if (!isCommitting || !chunk.subarray(-IDLE.length).equals(IDLE)) return true;
      isCommitting = false;
      if (commitsToLose === 0) return true;
      commitsToLose -= 1;
      lostCommits += 1;
      return false;
    };
  });
  return {
    ...proxy,
    loseCommits(count) {
      commitsToLose = count;
    },
    countLostCommits: () => lostCommits,
    holdTokenChanges() {
      const { promise, resolve } = Promise.withResolvers<void>();
      changesReleased = promise;
      releaseTokenChanges = resolve;
    },
    releaseTokenChanges: () => releaseTokenChanges(),
  };
}
