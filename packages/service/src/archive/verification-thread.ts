import { parentPort, workerData } from 'node:worker_threads';
import { fileOf } from './lines.ts';
import { readLines } from './read-lines.ts';
import { ArchiveError, openTar } from './tar.ts';
import { NOUNS_OF_THREAD, type ThreadReport, type ThreadTask } from './verify-in-thread.ts';
import { createVerifier } from './verify-signatures.ts';

// The thread of verify-in-thread.ts.

const REPORT_BYTES = 256 * 1024;

const send = (report: ThreadReport) => parentPort?.postMessage(report);

async function verify({ file, deployment }: ThreadTask): Promise<void> {
  const tar = await openTar(file);
  try {
    for (const noun of NOUNS_OF_THREAD) {
      let bytes = 0;
      for await (const line of readLines(
        noun,
        tar.read(fileOf(noun)),
        createVerifier(noun.name, deployment),
      )) {
        bytes += line.bytes;
        if (bytes < REPORT_BYTES) continue;
        send({ bytes });
        bytes = 0;
      }
      send({ bytes });
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    send({ problem: error.message });
  } finally {
    await tar.close();
  }
}

await verify(workerData as ThreadTask);
