import { CUSTOM_ID_PATTERN, UUID_PATTERN } from '@badge/protocol';

const UUID = new RegExp(UUID_PATTERN);
const CUSTOM_ID = new RegExp(CUSTOM_ID_PATTERN);
const TOKEN_ID = /^[1-9]\d{0,15}$/;

/** Whether the text is a UUID, so that PostgreSQL accepts it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whether the text can be the id of a community or an NFT type. */
export function isCustomId(text: string): boolean {
  return CUSTOM_ID.test(text);
}

/** Parses a token id that is written in decimal digits. Returns null for any other text. */
export function parseTokenId(text: string): number | null {
  const id = TOKEN_ID.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}
