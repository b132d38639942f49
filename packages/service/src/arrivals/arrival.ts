import type { CustomAttribute } from '@badge/protocol';

export { ARRIVAL_FORMATS, type ArrivalFormat } from '@badge/protocol';

/** Where something is in the source: the number of a line, or the name of a file. */
export type Place = number | string;

/** Which badge of which service a token was. It names the token in the source. */
export interface Source {
  /** The service, such as `poap.tech`, or the host name of another installation. */
  service: string;
  /** The id of the badge there. */
  id: string;
  /** Its page there, or null. */
  url: string | null;
}

/** Names an installation by its address, without the protocol. */
export function toServiceName(publicUrl: string): string {
  const { host, pathname } = new URL(publicUrl);
  return host + pathname.replace(/\/$/, '');
}

/** A badge of another service, with the fields of a token. Times are in milliseconds since 1970, UTC. */
export interface ArrivingToken {
  kind: 'token';
  place: Place;
  source: Source;
  headline: string;
  description: string;
  startDateTimestamp: number | null;
  endDateTimestamp: number | null;
  links: string[];
  customAttributes: CustomAttribute[];
  criteria: string | null;
  claimableFromTimestamp: number | null;
  validUntilTimestamp: number | null;
  validityDays: number | null;
  /** When it was made there. Null: the time of the import. */
  createdAtTimestamp: number | null;
  isSignatureRequired: boolean;
  /** How often an open token can be claimed in all. Null: only who is on its list has or claims it. */
  totalClaimCount: number | null;
  expirationTimestamp: number | null;
  isHidden: boolean;
  /** The built-in design, if the source names one of this service. It counts only without `picture`. */
  nftTypeId: string | null;
  /** The id of the badge that has replaced it there, and has arrived before. */
  replacedBy?: string | null;
  /** Reads the picture, or rejects with an `ArrivalError` that says why there is none. Null: it has none. */
  picture: (() => Promise<ArrivingPicture>) | null;
}

/** What a badge has of which the source says nothing. */
export const TOKEN_DEFAULTS = {
  startDateTimestamp: null,
  endDateTimestamp: null,
  criteria: null,
  claimableFromTimestamp: null,
  validUntilTimestamp: null,
  validityDays: null,
  createdAtTimestamp: null,
  isSignatureRequired: false,
  totalClaimCount: null,
  expirationTimestamp: null,
  isHidden: false,
  nftTypeId: null,
  picture: null,
} satisfies Partial<ArrivingToken>;

export interface ArrivingPicture {
  contentType: string;
  bytes: Buffer;
}

/** Who has a badge, or can claim it. */
export type Subject =
  | { address: string }
  | { email: string }
  /** The hash of an e-mail with a salt after it, as Open Badges 2.0 have it. The salt can be empty. */
  | { algorithm: 'sha256' | 'md5'; emailHash: string; salt: string }
  /** A handle or a name. */
  | { identifier: string };

/** A person of a token that has arrived before it. */
export interface ArrivingPerson {
  kind: 'person';
  place: Place;
  /** `source.service` and `source.id` of the token. */
  token: Pick<Source, 'service' | 'id'>;
  subject: Subject;
  /** Whether the person has, or had, the badge. If not, the person can claim it. */
  isOwner: boolean;
  /** When the badge was claimed or given. Null: not known. */
  claimedAtTimestamp: number | null;
  /** When the badge was lost, and how. */
  ended: { atTimestamp: number; how: 'burnt' | 'revoked' | 'moved' } | null;
  /** The address that had the badge before, if it was moved. It is counted once. */
  movedFrom?: string | null;
  /** When the badge of this person ends, if that differs from the rule of the token. */
  renewedUntilTimestamp: number | null;
  name: string | null;
  email: string | null;
  note: string | null;
}

/** What a person has of whom the source says nothing. */
export const PERSON_DEFAULTS = {
  claimedAtTimestamp: null,
  ended: null,
  renewedUntilTimestamp: null,
  name: null,
  email: null,
  note: null,
} satisfies Partial<ArrivingPerson>;

/** A link or a code for a room with which a token that has arrived before it can be claimed. */
export interface ArrivingLink {
  kind: 'link';
  place: Place;
  token: Pick<Source, 'service' | 'id'>;
  /** SHA-256 of the code, 32 bytes in hex with 0x. */
  codeHash: string;
  createdAtTimestamp: number;
  startsAtTimestamp: number | null;
  expiresAtTimestamp: number | null;
  isSignatureRequired: boolean;
  /** Since when the code of a room is paused. */
  pausedAtTimestamp?: number | null;
  /** Of a code for a room. Null: a link, which can be used once. */
  room: { maxClaims: number; claimCount: number; maxClaimsPerClient: number | null } | null;
  /**
   * Who the link is for, if it is known. With `identifier`, it uses the entry of this text in the allowlist,
   * which has arrived before; without, an entry of its own.
   */
  person: {
    identifier: string | null;
    name: string | null;
    email: string | null;
    note: string | null;
  } | null;
}

/** What cannot be imported, and why. `detail` has no personal data. */
export interface ArrivalProblem {
  kind: 'problem';
  place: Place;
  detail: string;
}

/** What is left out, since nobody can mend it or has lost anything by it, and why. `detail` as above. */
export interface ArrivalSkip {
  kind: 'skip';
  place: Place;
  detail: string;
}

export type Arrival = ArrivingToken | ArrivingPerson | ArrivingLink | ArrivalProblem | ArrivalSkip;

/** Why a source, or a picture of it, cannot be read. */
export class ArrivalError extends Error {}

/** How a file of a person is opened: a path of the command, or an uploaded file in the same form. */
export interface ArrivalSource {
  /** The name of the file or folder, for messages. */
  name: string;
  /** A path, or the URL of listings. */
  path: string;
  /** CSV: the column of each field, and settings. Empty: the columns have the names of the fields. */
  mapping: Record<string, string>;
  /** A folder with pictures, each named after the id of its badge. */
  picturesFolder: string | null;
  /** Whether the reader may make requests: pictures, listings. */
  fetchUrl: FetchUrl | null;
  /** A file with an identity of age, for people who are encrypted. */
  identityFile?: string | null;
}

/** Reads a public URL, with the limits of the service. Rejects with an `ArrivalError`. */
export type FetchUrl = (
  url: string,
  limits: { maxBytes: number },
) => Promise<{ contentType: string; bytes: Buffer }>;

/** Reads a source of a format, in its order. Throws `ArrivalError` if the whole of it cannot be read. */
export type ReadArrivals = (source: ArrivalSource) => AsyncIterable<Arrival>;
