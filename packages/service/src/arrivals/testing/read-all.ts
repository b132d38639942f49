import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Arrival, ArrivalSource, ArrivingPerson, ArrivingToken, ReadArrivals } from '../arrival.ts';

export const ADA = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
export const BEA = '0x1111111111111111111111111111111111111111';

/** Makes a folder with files, and returns its path. */
export async function makeFolder(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'arrivals-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** Reads everything of a source. */
export async function readAll(
  read: ReadArrivals,
  path: string,
  options: Partial<ArrivalSource> = {},
): Promise<Arrival[]> {
  const source = { name: 'the file', path, mapping: {}, picturesFolder: null, fetchUrl: null, ...options };
  const arrivals: Arrival[] = [];
  for await (const arrival of read(source)) arrivals.push(arrival);
  return arrivals;
}

export const tokensOf = (arrivals: Arrival[]): ArrivingToken[] =>
  arrivals.filter((arrival) => arrival.kind === 'token');

export const personsOf = (arrivals: Arrival[]): ArrivingPerson[] =>
  arrivals.filter((arrival) => arrival.kind === 'person');

/** The problems, as `place: detail`, and what is skipped, as `skip place: detail`. */
export const problemsOf = (arrivals: Arrival[]): string[] =>
  arrivals.flatMap((arrival) => {
    if (arrival.kind === 'problem') return `${arrival.place}: ${arrival.detail}`;
    return arrival.kind === 'skip' ? `skip ${arrival.place}: ${arrival.detail}` : [];
  });
