import { BadgeApiError, type Recipient, type Token } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
import { useFormats } from '../../formats.ts';
import { keepTrying } from '../../pages/claim/keep-trying.ts';
import { makeRandomId } from '../../random-id.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { TimeField } from '../make/row-fields.tsx';
import { fromStart, toEnd } from '../make/typed-times.ts';
import { useSession } from '../session/session.ts';
import styles from './people-list.module.css';
import { PersonName } from './person-name.tsx';

/** The service renews no more with one request. */
const MAX_RENEWED = 1_000;

interface RenewDialogProps {
  token: Token;
  /** Those who have the badge, valid or expired, with an end. */
  people: readonly Recipient[];
  onChange: () => void;
  /** `until` is the new end, if they are renewed. */
  onClose: (until: number | null, count: number) => void;
}

/** Lets the badge of one or many people end at another time, and says before what it means for them. */
export function RenewDialog({ token, people, onChange, onClose }: RenewDialogProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { end } = useFormats();
  const [controller] = useState(() => new AbortController());
  const [runId] = useState(() => makeRandomId());
  const [waiting, setWaiting] = useState(people);
  const [lost, setLost] = useState<readonly Recipient[]>([]);
  const [typed, setTyped] = useState(() => fromStart(findNextEnd(token)));
  const [isChecked, setIsChecked] = useState(false);
  const until = toEnd(typed);
  const isWrong = until === null || until <= Date.now();
  const ends = waiting.flatMap(({ validUntilTimestamp }) => validUntilTimestamp ?? []);
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  const expired = waiting.filter(({ status }) => status === 'expired').length;
  const shortened = isWrong ? 0 : ends.filter((one) => one > until).length;

  useEffect(() => () => controller.abort(), [controller]);

  async function submit(): Promise<void> {
    setIsChecked(true);
    setLost([]);
    if (isWrong) throw new FieldError();
    const { signal } = controller;
    const retry = { signal, onProblem: () => {}, wakeUps: window, isOnline: () => navigator.onLine };
    for (let start = 0; start < waiting.length; start += MAX_RENEWED) {
      const part = waiting.slice(start, start + MAX_RENEWED);
      const addresses = part.flatMap(({ address }) => address ?? []);
      // A repeated press for the same people and the same end has no second effect.
      const idempotencyKey = `${runId}-${start}-${waiting.length}-${until}`;
      try {
        const renewal = { tokenId: token.tokenId, addresses, validUntilTimestamp: until };
        await keepTrying(async () => await (await badge.renew(renewal, { idempotencyKey })).wait(), retry);
      } catch (error) {
        const found = findLost(error, part);
        if (found.length === 0) throw error;
        setLost(found);
        // What was renewed before them stays, and can be renewed again.
        setWaiting(waiting.filter((person) => !found.includes(person)));
        onChange();
        throw new FieldError();
      }
    }
    onChange();
  }

  return (
    <ActionDialog
      title={t('people.many.renew.title', { count: waiting.length })}
      submitLabel={t('people.many.renew.submit')}
      isReady={waiting.length > 0}
      onSubmit={submit}
      onClose={(isDone) => onClose(isDone ? until : null, waiting.length)}
    >
      {waiting.length === 1 && waiting[0] !== undefined && (
        <p>
          <PersonName person={waiting[0]} />
        </p>
      )}
      {ends.length > 0 && (
        <p>
          {end(first) === end(last)
            ? t('people.many.renew.from', { date: end(first) })
            : t('people.many.renew.fromTo', { first: end(first), last: end(last) })}
        </p>
      )}
      <TimeField
        legend={t('people.many.renew.end')}
        hint={t('people.many.renew.endHint')}
        value={typed}
        error={isChecked && isWrong ? t('people.many.renew.past') : null}
        onChange={setTyped}
      />
      {expired > 0 && <p>{t('people.many.renew.expired', { count: expired })}</p>}
      <p>{t('people.many.renew.text')}</p>
      {shortened > 0 && (
        <Notice tone="warning">{t('people.many.renew.shortened', { count: shortened })}</Notice>
      )}
      {lost.length > 0 && (
        <Notice tone="error" isLive title={t('people.many.renew.lost', { count: lost.length })}>
          <ul className={styles.problems}>
            {lost.map((person) => (
              <li key={person.recipientId}>
                <PersonName person={person} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </ActionDialog>
  );
}

/** The start of the last day of a badge that is renewed today: as long again, or for a year. */
function findNextEnd({ validityDays }: Token): number {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  if (validityDays === null) day.setFullYear(day.getFullYear() + 1);
  else day.setDate(day.getDate() + validityDays);
  return day.getTime();
}

/** Those who have lost the badge meanwhile, so that the service has renewed nobody. */
function findLost(error: unknown, people: readonly Recipient[]): Recipient[] {
  if (!(error instanceof BadgeApiError) || error.name !== 'TokenNotOwned') return [];
  return error.errors.flatMap((problem) => {
    if (!('pointer' in problem)) return [];
    return people[Number(problem.pointer.split('/').at(-1))] ?? [];
  });
}
