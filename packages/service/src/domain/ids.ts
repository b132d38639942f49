import { CHOSEN_ID_PATTERN, UUID_PATTERN } from '@badge/protocol';

const UUID = new RegExp(UUID_PATTERN);
const CHOSEN_ID = new RegExp(CHOSEN_ID_PATTERN);
const TOKEN_ID = /^[1-9]\d{0,15}$/;

/** Whether the text is a UUID, so that PostgreSQL accepts it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whether a client could have chosen the text as the id of a community or an NFT type. */
export function isChosenId(text: string): boolean {
  return CHOSEN_ID.test(text);
}

/** A token id in decimal digits as a number; null for anything else. */
export function parseTokenId(text: string): number | null {
  const id = TOKEN_ID.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}
