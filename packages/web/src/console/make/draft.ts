import type { CustomAttribute, SignedToken } from '@badge/sdk';
import { findStored, writeStored } from '../../browser-storage.ts';

/** Who can get the badge: everyone up to a number, the people on a list, or whoever has a link. */
export type Who = 'everyone' | 'list' | 'link';

/** A day as `YYYY-MM-DD` and a time of it as `HH:MM`; empty if there is none. */
export interface TypedTime {
  day: string;
  time: string;
}

export interface TypedAttribute {
  name: string;
  type: CustomAttribute['type'];
  value: string;
}

/** What a person has typed. */
export interface Fields {
  headline: string;
  description: string;
  criteria: string;
  nftTypeId: string;
  who: Who;
  count: string;
  links: string[];
  start: TypedTime;
  end: TypedTime;
  claimFrom: TypedTime;
  claimUntil: TypedTime;
  /** When the badge ends for all, or how many days after its claim. At most one of them is given. */
  validUntil: TypedTime;
  validityDays: string;
  attributes: TypedAttribute[];
}

/** A request to create the badge that may have been sent. With it, a reloaded page or another tab goes on. */
export interface Submission {
  /** Null after the service has accepted it. */
  body: SignedToken | null;
  /** With the same key, the service creates the badge only once, however often the body is sent. */
  idempotencyKey: string;
  /** Who sends it: the service knows the key only with the same caller. */
  callerId: string;
  beganAtTimestamp: number;
  /** Null until the service has accepted it. */
  operationId: string | null;
  /** Null until the badge is made. */
  tokenId: number | null;
}

export interface Draft {
  fields: Fields;
  /** Null until the badge is signed. */
  submission: Submission | null;
}

export interface DraftStore {
  find(): Draft | null;
  /** Returns whether the browser has stored it. */
  save(draft: Draft): boolean;
  remove(): void;
  /** Calls `listener` when another tab changes the draft. Returns a function that ends this. */
  subscribe(listener: (draft: Draft | null) => void): () => void;
}

/** An hour less than the service keeps idempotency keys. */
const MAX_AGE_MS = 23 * 3_600_000;

/**
 * Stores the draft of a new badge, or of the correction of one, in `localStorage`, which all tabs share.
 */
export function openDraftStore(communityId: string, correctedTokenId: number | null): DraftStore {
  const key = `badge.console.draft.${communityId}${correctedTokenId === null ? '' : `.${correctedTokenId}`}`;
  return {
    find: () => parseDraft(findStored(key)),
    save(draft) {
      const json = JSON.stringify(draft);
      writeStored(key, json);
      return findStored(key) === json;
    },
    remove: () => writeStored(key, null),
    subscribe(listener) {
      const onStorage = (event: StorageEvent) => {
        if (event.key === key) listener(parseDraft(event.newValue));
      };
      addEventListener('storage', onStorage);
      return () => removeEventListener('storage', onStorage);
    },
  };
}

/**
 * Whether the request can be sent again without making a second badge: by the same caller, as long as the
 * service knows its key. One that the service has accepted is not sent again.
 */
export function mayGoOn({ operationId, beganAtTimestamp, ...submission }: Submission, callerId: string) {
  if (operationId !== null) return true;
  return submission.callerId === callerId && Date.now() - beganAtTimestamp < MAX_AGE_MS;
}

export function emptyFields(nftTypeId: string): Fields {
  const none = { day: '', time: '' };
  return {
    headline: '',
    description: '',
    criteria: '',
    nftTypeId,
    who: 'everyone',
    count: '100',
    links: [],
    start: none,
    end: none,
    claimFrom: none,
    claimUntil: none,
    validUntil: none,
    validityDays: '',
    attributes: [],
  };
}

function parseDraft(json: string | null): Draft | null {
  if (json === null) return null;
  try {
    const { fields, submission } = JSON.parse(json) as Draft & { fields: { people?: string } };
    // Earlier releases asked for the people too, and a later release can have more fields.
    const { people: _people, ...known } = fields;
    return { fields: { ...emptyFields(''), ...known }, submission: submission ?? null };
  } catch {
    return null;
  }
}
