import type { Recipient } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { useFormats } from '../../formats.ts';
import { Details } from '../badges/details.tsx';
import { Status } from '../listing.tsx';
import styles from './people-list.module.css';
import { findName, listTexts, PersonName } from './person-name.tsx';
import { describeStatus } from './statuses.ts';

type Selection = ReadonlyMap<string, Recipient>;

interface PeopleTableProps {
  people: readonly Recipient[];
  isSelectable: boolean;
  selected: Selection;
  onSelect: (selected: Selection) => void;
  onOpen: (recipientId: string) => void;
}

/** People, what they have, and since when. */
export function PeopleTable({ people, isSelectable, selected, onSelect, onOpen }: PeopleTableProps) {
  const { t } = useTranslation('console');
  const count = people.filter(({ recipientId }) => selected.has(recipientId)).length;
  const isAll = count === people.length;

  function select(changed: readonly Recipient[], isSelected: boolean): void {
    const next = new Map(selected);
    for (const person of changed) {
      if (isSelected) next.set(person.recipientId, person);
      else next.delete(person.recipientId);
    }
    onSelect(next);
  }

  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {isSelectable && (
            <td className={styles.check}>
              <input
                type="checkbox"
                aria-label={t('people.selectPage')}
                checked={isAll}
                ref={(box) => {
                  if (box !== null) box.indeterminate = count > 0 && !isAll;
                }}
                onChange={() => select(people, !isAll)}
              />
            </td>
          )}
          <th scope="col">{t('people.person')}</th>
          <th scope="col">{t('people.status')}</th>
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <PersonRow
            key={person.recipientId}
            person={person}
            isSelectable={isSelectable}
            isSelected={selected.has(person.recipientId)}
            onSelect={(isSelected) => select([person], isSelected)}
            onOpen={() => onOpen(person.recipientId)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface PersonRowProps {
  person: Recipient;
  isSelectable: boolean;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onOpen: () => void;
}

function PersonRow({ person, isSelectable, isSelected, onSelect, onOpen }: PersonRowProps) {
  const { t } = useTranslation('console');
  const { recipientId, address, way } = person;
  const nameId = `name-${recipientId}`;
  const [, ...names] = listTexts(person);
  // Nobody knows who comes to a room.
  const texts = way === 'room' ? [...names, t('people.ways.room')] : names;
  const isAddressShown = address !== null && findName(person) !== null;
  return (
    <tr className={isSelected ? styles.selected : undefined}>
      {isSelectable && (
        <td className={styles.check}>
          <input
            type="checkbox"
            id={`check-${recipientId}`}
            aria-label={t('people.select')}
            aria-labelledby={`check-${recipientId} ${nameId}`}
            checked={isSelected}
            onChange={(event) => onSelect(event.target.checked)}
          />
        </td>
      )}
      <th scope="row">
        <button type="button" id={nameId} className={styles.name} aria-haspopup="dialog" onClick={onOpen}>
          <PersonName person={person} />
        </button>
        {(texts.length > 0 || isAddressShown) && (
          <div className={styles.detail}>
            <Details of={texts} />
            {texts.length > 0 && isAddressShown && ' · '}
            {isAddressShown && <Address value={address} />}
          </div>
        )}
      </th>
      <td>
        <PersonStatus person={person} />
      </td>
    </tr>
  );
}

/** What a person has, since when, until when, and whether the service keeps it for an e-mail. */
export function PersonStatus({ person }: { person: Recipient }) {
  const { status, statusChangedAtTimestamp, validUntilTimestamp, sendAtTimestamp, isKept } = person;
  const { t } = useTranslation('console');
  const { dateTime, end } = useFormats();
  return (
    <span className={styles.status}>
      <Status tone={toTone(status)}>{describeStatus(person, t)}</Status>
      {status === 'scheduled' && sendAtTimestamp !== null ? (
        <span className={styles.detail}>{t('people.plannedFor', { date: dateTime(sendAtTimestamp) })}</span>
      ) : (
        <time className={styles.detail} dateTime={new Date(statusChangedAtTimestamp).toISOString()}>
          {status === 'expired' ? end(statusChangedAtTimestamp) : dateTime(statusChangedAtTimestamp)}
        </time>
      )}
      {status === 'claimed' && validUntilTimestamp !== null && (
        <span className={styles.detail}>{t('people.validUntil', { date: end(validUntilTimestamp) })}</span>
      )}
      {isKept && <span className={styles.detail}>{t('people.kept')}</span>}
    </span>
  );
}

const BAD: readonly Recipient['status'][] = ['failed', 'unsubscribed', 'expired', 'burnt', 'revoked'];

function toTone(status: Recipient['status']): 'good' | 'bad' | 'plain' {
  if (status === 'claimed') return 'good';
  return BAD.includes(status) ? 'bad' : 'plain';
}
