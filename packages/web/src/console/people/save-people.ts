import type { Recipient } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { saveFile } from '../../save-file.ts';
import { toCsv } from '../to-csv.ts';
import { describeStatus } from './statuses.ts';

const IDS = ['recipientId', 'claimLinkId', 'invitationId'] as const;

/** Saves people as a file: first what people read, in the words of the page, and last the ids. */
export function savePeople(tokenId: number, people: readonly Recipient[], t: TFunction<'console'>): void {
  const columns: [title: string, read: (person: Recipient) => string | null][] = [
    [t('people.fields.name'), ({ name }) => name],
    [t('people.fields.email'), ({ email, identifier }) => email ?? identifier],
    [t('people.file.address'), ({ address }) => address],
    [t('people.status'), (person) => describeStatus(person, t)],
    [t('people.file.since'), (person) => toCell(person.statusChangedAtTimestamp)],
    [t('people.way'), ({ way }) => t(`people.ways.${way}`)],
    [t('people.history.types.added'), (person) => toCell(person.addedAtTimestamp)],
    [t('people.history.types.sent'), (person) => toCell(person.sentAtTimestamp)],
    [t('people.history.types.reminded'), (person) => toCell(person.remindedAtTimestamp)],
    [t('people.history.types.claimed'), (person) => toCell(person.claimedAtTimestamp)],
    [t('people.file.validUntil'), (person) => toCell(person.validUntilTimestamp)],
    [t('people.fields.note'), ({ note }) => note],
    ...IDS.map((id): [string, (person: Recipient) => string | null] => [id, (person) => person[id]]),
  ];
  const rows = people.map((person) => columns.map(([, read]) => read(person) ?? ''));
  saveFile(`badge-${tokenId}-people.csv`, toCsv([columns.map(([title]) => title), ...rows]));
}

/** A time in the browser's time zone that spreadsheets read and sort, such as `2026-11-28 21:24`. */
function toCell(timestamp: number | null): string | null {
  if (timestamp === null) return null;
  const local = new Date(timestamp - new Date(timestamp).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace('T', ' ');
}
