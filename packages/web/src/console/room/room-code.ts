/** Eight characters of Crockford's base 32, which has no I, L, O and U. */
const CODE = /^#?([0-9A-HJKMNP-TV-Z]{4})-?([0-9A-HJKMNP-TV-Z]{4})$/;

/** The code of a room in a fragment such as `#7K2M-9QPD`, as people read it. Null if there is none. */
export function findRoomCode(fragment: string): string | null {
  const [, first, second] = CODE.exec(fragment.toUpperCase()) ?? [];
  return first === undefined || second === undefined ? null : `${first}-${second}`;
}
