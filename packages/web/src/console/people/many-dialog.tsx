import type { Recipient, Token } from '@badge/sdk';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
import { keepTrying } from '../../pages/claim/keep-trying.ts';
import { makeRandomId } from '../../random-id.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { ReasonField } from '../badges/owner-dialog.tsx';
import { describeError } from '../describe-error.ts';
import { useSession } from '../session/session.ts';
import styles from './people-list.module.css';
import { changePerson, type ManyAction } from './person-actions.ts';
import { findName, PersonName } from './person-name.tsx';

const AT_ONCE = 5;

interface Problem {
  person: Recipient;
  error: unknown;
}

interface ManyDialogProps {
  token: Token;
  action: Exclude<ManyAction, 'renew'>;
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
  const [isChecked, setIsChecked] = useState(false);
  /** How many are done; null before it begins. */
  const [done, setDone] = useState<number | null>(null);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const isReasonMissing = action === 'revoke' && reason.trim() === '';
  useEffect(() => () => controller.abort(), [controller]);

  async function submit(): Promise<void> {
    setIsChecked(true);
    if (isReasonMissing) throw new FieldError();
    const { signal } = controller;
    const retry = { signal, onProblem: () => {}, wakeUps: window, isOnline: () => navigator.onLine };
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
      isDangerous={action !== 'resend'}
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
