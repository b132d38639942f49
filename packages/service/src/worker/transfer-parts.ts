import { ArrivalError, type FetchUrl } from '../arrivals/arrival.ts';
import { READERS } from '../arrivals/formats.ts';
import type { Context } from '../context.ts';
import { type PeopleChoice, writeCommunityArchive } from '../domain/archives/write-community-archive.ts';
import { importArrivals } from '../domain/imports/import-arrivals.ts';
import { readImporter } from '../domain/imports/read-importer.ts';
import type { TransferParts } from '../domain/transfers/run-transfer.ts';
import type { ExportParameters } from '../storage/transfers.ts';

// So that slow hosts of pictures do not keep the transfers of others from being done.
const MAX_FETCH_MS = 15 * 60_000;

/** The parts of this release that do the work of transfers. `fetchUrl` reads what a file names by its URL. */
export function createTransferParts(context: Context, fetchUrl: FetchUrl): TransferParts {
  return {
    async writeArchive(file, { communityId, people, recipientKey, onProgress, signal }) {
      const progress = {
        report: (_what: string, part?: { done: number; total: number }) => {
          if (part !== undefined && part.total > 0) onProgress(part.done / part.total);
        },
      };
      const choice = toChoice({ people, recipientKey });
      await writeCommunityArchive(context, file, { communityId, people: choice, progress, signal });
    },
    readArrivals: (format, source) => READERS[format]({ ...source, fetchUrl: limitTime(fetchUrl) }),
    async importArrivals(arrivals, { importer, ...options }) {
      const address = importer ?? (await readImporter(context, options.communityId));
      await importArrivals(context, arrivals, { ...options, importer: address, actor: null });
    },
  };
}

function toChoice({ people, recipientKey }: ExportParameters): PeopleChoice {
  if (people !== 'encrypted') return { kind: people };
  if (recipientKey === null) throw new Error('an export for a key has no key');
  return { kind: people, recipientKey };
}

/** Limits how long the pictures of an import may take in all. */
function limitTime(fetchUrl: FetchUrl): FetchUrl {
  let spentMs = 0;
  return async (url, limits) => {
    if (spentMs > MAX_FETCH_MS)
      throw new ArrivalError(
        `the pictures have taken ${MAX_FETCH_MS / 60_000} minutes: import the file again for the rest`,
      );
    const startMs = performance.now();
    try {
      return await fetchUrl(url, limits);
    } finally {
      spentMs += performance.now() - startMs;
    }
  };
}
