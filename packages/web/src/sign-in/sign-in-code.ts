import { findTypedCode, formatRoomCode, isRoomCode } from '../pages/claim/claim-code.ts';

/** Reads a code of a sign-in mail, which is written as that of a room. Returns null if it cannot be one. */
export function readSignInCode(text: string): string | null {
  const code = findTypedCode(text);
  return code !== null && isRoomCode(code) ? formatRoomCode(code) : null;
}
