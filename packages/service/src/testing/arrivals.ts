import { createHash, randomUUID } from 'node:crypto';
import {
  type Arrival,
  type ArrivingLink,
  type ArrivingPerson,
  type ArrivingPicture,
  type ArrivingToken,
  PERSON_DEFAULTS,
  TOKEN_DEFAULTS,
} from '../arrivals/arrival.ts';
import { type ImportOptions, importArrivals } from '../domain/imports/import-arrivals.ts';
import { parseAddress } from '../signatures/address.ts';
import type { TestService } from './services.ts';

export const IMPORTER = `0x${'1'.repeat(40)}`;

/** A badge of another service, on whose list people are. */
export function arrivingToken(fields: Partial<ArrivingToken> = {}, id: string = randomUUID()): ArrivingToken {
  return {
    kind: 'token',
    place: 1,
    source: { service: 'badges.example', id, url: `https://badges.example/${id}` },
    headline: 'A badge',
    description: '',
    links: [],
    customAttributes: [],
    ...TOKEN_DEFAULTS,
    ...fields,
  };
}

/** Somebody who has the token, unless `fields` say otherwise. */
export function arrivingPerson(
  { source }: ArrivingToken,
  subject: ArrivingPerson['subject'],
  fields: Partial<ArrivingPerson> = {},
): ArrivingPerson {
  return {
    kind: 'person',
    place: 2,
    token: source,
    subject,
    isOwner: true,
    ...PERSON_DEFAULTS,
    ...fields,
  };
}

export function arrivingLink(
  { source }: ArrivingToken,
  code: string,
  fields: Partial<ArrivingLink> = {},
): ArrivingLink {
  return {
    kind: 'link',
    place: 3,
    token: source,
    codeHash: `0x${createHash('sha256').update(code).digest('hex')}`,
    createdAtTimestamp: 1_600_000_000_000,
    startsAtTimestamp: null,
    expiresAtTimestamp: null,
    isSignatureRequired: false,
    room: null,
    person: null,
    ...fields,
  };
}

export const pictureOf = (bytes: Buffer) => async (): Promise<ArrivingPicture> => ({
  contentType: 'image/png',
  bytes,
});

export async function* inOrder(arrivals: Arrival[]): AsyncGenerator<Arrival> {
  yield* arrivals;
}

/** Imports into the community `demo`. Returns the counts, and what has happened to each line. */
export async function importInto(
  { context }: Pick<TestService, 'context'>,
  arrivals: Arrival[],
  options: Partial<ImportOptions> = {},
) {
  const lines: string[] = [];
  const result = await importArrivals(context, inOrder(arrivals), {
    communityId: 'demo',
    importer: parseAddress(IMPORTER),
    actor: { kind: 'operator', apiKeyId: null },
    isDryRun: false,
    onLine: ({ outcome, detail }) => lines.push(`${outcome}: ${detail}`),
    ...options,
  });
  return { result, lines };
}
