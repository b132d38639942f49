/** A person on a list. */
export interface PersonLine {
  /** The number of the line in the list, from 1. */
  line: number;
  /** The number of this person among several in the line, from 2; absent for the first one. */
  part?: number;
  /** Empty if the list does not say it. */
  name: string;
  /** An address or an e-mail, as it was written. Empty if the line has none. */
  recipient: string;
  /** The e-mail of somebody who gets the badge at an address; empty if there is none. */
  email: string;
  /** The language of this person's mail, as it was written; empty or absent if the list does not say it. */
  language?: string;
  /** The columns of the table that the recipient and the name were read from; absent if it has only one. */
  columns?: { recipient: readonly number[]; name: readonly number[] };
  /** Whether the line has a name, and nothing that looks meant as an address or an e-mail. */
  hasOnlyName?: true;
  /** What the line also has, and is not used: other people, or texts beside an e-mail. */
  unused?: readonly string[];
}

/** A text that no other line of the list has. */
export function keyOfLine({ line, part = 1 }: PersonLine): string {
  return `${line}.${part}`;
}

/** What the organiser does with a line. */
export type LineEdit = 'removed' | { recipient: string };

/** What the organiser has changed about lines, by `keyOfLine`. */
export type LineEdits = ReadonlyMap<string, 'removed' | { from: string; recipient: string }>;

/** Adds a change. `line` may have been changed before. */
export function addEdit(edits: LineEdits, line: PersonLine, edit: LineEdit): LineEdits {
  const key = keyOfLine(line);
  const last = edits.get(key);
  const from = last === undefined || last === 'removed' ? line.recipient : last.from;
  return new Map(edits).set(key, edit === 'removed' ? edit : { from, ...edit });
}

/**
 * Returns the lines with the changes. Who was removed stays removed, whatever is read of the line. A
 * correction holds while the same recipient is read of it, and not for that of another column.
 */
export function editLines(lines: readonly PersonLine[], edits: LineEdits): PersonLine[] {
  return lines.flatMap((line) => {
    const edit = edits.get(keyOfLine(line));
    if (edit === 'removed') return [];
    return edit !== undefined && edit.from === line.recipient ? { ...line, recipient: edit.recipient } : line;
  });
}
