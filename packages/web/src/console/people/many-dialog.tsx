import type { Recipient, Token } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
import { keepTrying } from '../../pages/claim/keep-trying.ts';
import { makeRandomId } from '../../random-id.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { ReasonField } from '../badges/owner-dialog.tsx';
import { describeError } from '../describe-error.ts';
import type { TypedTime } from '../make/draft.ts';
import { TimeField } from '../make/row-fields.tsx';
import { fromEnd, toEnd } from '../make/typed-times.ts';
import { useSession } from '../session/session.ts';
import styles from './people-list.module.css';
import { changePerson, type ManyAction, renewPeople } from './person-actions.ts';
import { findName, PersonName } from './person-name.tsx';

const AT_ONCE = 5;

/** The end of this day in a year. */
function inAYear(): TypedTime {
  const date = new Date();
  date.setFullYear(date.getFullYear() + 1);
  return { ...fromEnd(date.getTime()), time: '' };
}

interface Problem {
  person: Recipient;
  error: unknown;
}

interface ManyDialogProps {
  token: Token;
  action: ManyAction;
  people: readonly Recipient[];
  onChange: () => void;
  onClose: (isDone: boolean) => void;
}

/** Does the same with one or many people, and says for whom it did not work. Those can be tried again. */
export function ManyDialog({ token, action, people, onChange, onClose }: ManyDialogProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const [controller] = useState(() => new AbortController());
  const [runId] = useState(() => makeRandomId());
  const [waiting, setWaiting] = useState(people);
  const [reason, setReason] = useState('');
  const [end, setEnd] = useState(inAYear);
  const [isChecked, setIsChecked] = useState(false);
  /** How many are done; null before it begins. */
  const [done, setDone] = useState<number | null>(null);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const isReasonMissing = action === 'revoke' && reason.trim() === '';
  const validUntilTimestamp = toEnd(end);
  const isEndWrong = action === 'renew' && (validUntilTimestamp ?? 0) <= Date.now();
  useEffect(() => () => controller.abort(), [controller]);

  async function submit(): Promise<void> {
    setIsChecked(true);
    if (isReasonMissing || isEndWrong) throw new FieldError();
    const { signal } = controller;
    const retry = { signal, onProblem: () => {}, wakeUps: window, isOnline: () => navigator.onLine };
    if (action === 'renew') {
      const renewal = { tokenId: token.tokenId, validUntilTimestamp: validUntilTimestamp ?? 0 };
      const idempotencyKey = `${runId}-${renewal.validUntilTimestamp}`;
      await keepTrying(() => renewPeople(badge, waiting, renewal, { idempotencyKey }), retry);
      onChange();
      return;
    }
    const queue = [...waiting];
    const found: Problem[] = [];
    setDone(0);
    setProblems([]);
    const work = async () => {
      for (let person = queue.shift(); person !== undefined; person = queue.shift()) {
        const change = { token, reason: reason.trim(), idempotencyKey: `${runId}-${person.recipientId}` };
        const one = person;
        await keepTrying(() => changePerson(badge, action, one, change), retry).catch((error: unknown) => {
          signal.throwIfAborted();
          found.push({ person: one, error });
        });
        setDone((last) => (last ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    onChange();
    setDone(null);
    if (found.length === 0) return;
    setProblems(found);
    setWaiting(found.map(({ person }) => person));
    throw new FieldError();
  }

  return (
    <ActionDialog
      title={t(`people.many.${action}.title`, { count: waiting.length })}
      submitLabel={t(`people.many.${action}.submit`)}
      isDangerous={action !== 'resend' && action !== 'renew'}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t(`people.many.${action}.text`)}</p>
      {people.length === 1 && people[0] !== undefined && (
        <p>
          <PersonName person={people[0]} />
          {/* Where the mail goes. */}
          {action === 'resend' && people[0].email !== findName(people[0]) && <> · {people[0].email}</>}
        </p>
      )}
      {action === 'renew' && (
        <TimeField
          legend={t('people.many.renew.end')}
          hint={t('people.many.renew.endHint')}
          value={end}
          error={isChecked && isEndWrong ? t('people.many.renew.past') : null}
          onChange={setEnd}
        />
      )}
      {action === 'revoke' && (
        <ReasonField value={reason} isMissing={isChecked && isReasonMissing} onChange={setReason} />
      )}
      {done !== null && people.length > 1 && (
        <p role="status">{t('give.job.progress', { done, total: waiting.length })}</p>
      )}
      {problems.length > 0 && (
        <Notice tone="error" isLive title={t('people.many.problems', { count: problems.length })}>
          <ul className={styles.problems}>
            {problems.map(({ person, error }) => (
              <li key={person.recipientId}>
                <PersonName person={person} />: {describeError(error, t)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </ActionDialog>
  );
}
