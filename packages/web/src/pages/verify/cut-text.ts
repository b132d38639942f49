const MAX_SHOWN_CHARACTERS = 2_000;

/** The beginning of a text of a credential, which can have any length. */
export function cutText(text: string): string {
  return text.length <= MAX_SHOWN_CHARACTERS ? text : `${text.slice(0, MAX_SHOWN_CHARACTERS)}…`;
}
