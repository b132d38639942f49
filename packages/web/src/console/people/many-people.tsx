import type { Recipient, Token } from '@badge/sdk';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useFormats } from '../../formats.ts';
import { describeError } from '../describe-error.ts';
import { useMail } from '../mail/use-mail.ts';
import { useSession } from '../session/session.ts';
import { ManyDialog } from './many-dialog.tsx';
import styles from './people-list.module.css';
import { isPossible, MANY_ACTIONS, type ManyAction, ROLE_FOR } from './person-actions.ts';
import { isRemindable, RemindDialog, RemindedCounts, type ReminderKind } from './remind-dialog.tsx';
import { RenewDialog } from './renew-dialog.tsx';
import { savePeople } from './save-people.ts';

type Selection = ReadonlyMap<string, Recipient>;

/** More are not selected at once. */
const MAX_SELECTED = 1_000;

interface ManyPeopleProps {
  token: Token;
  selected: Selection;
  /** How many people the list has, on all its pages. */
  total: number;
  /** Lists them. */
  listAll: () => PromiseLike<{ data: readonly Recipient[] }>;
  onSelect: (selected: Selection) => void;
  onChange: () => void;
}

/** What can be done with the people who are selected. */
export function ManyPeople({ token, selected, total, listAll, onSelect, onChange }: ManyPeopleProps) {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const mail = useMail();
  const { end } = useFormats();
  const [action, setAction] = useState<ManyAction | null>(null);
  const [reminding, setReminding] = useState<ReminderKind | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  /** What was done last, until somebody is selected again. */
  const [done, setDone] = useState<ReactNode>(null);
  const people = [...selected.values()];
  const actions = MANY_ACTIONS.filter((one) => may(ROLE_FOR[one]))
    .filter((one) => one !== 'resend' || mail !== 'unavailable')
    .map((one) => ({ one, count: people.filter((person) => isPossible(one, person)).length }))
    .filter(({ count }) => count > 0);

  const able = action === null ? [] : people.filter((person) => isPossible(action, person));

  const remindable = (['claim', 'expiry'] as const)
    .filter(() => may('issuer') && mail !== 'unavailable')
    .map((kind) => ({ kind, able: people.filter((person) => isRemindable(kind, person)) }))
    .filter(({ able }) => able.length > 0);

  async function selectAll(): Promise<void> {
    setIsBusy(true);
    setError(null);
    try {
      const { data } = await listAll();
      onSelect(new Map(data.map((person) => [person.recipientId, person])));
    } catch (caught) {
      setError(caught);
    } finally {
      setIsBusy(false);
    }
  }

  if (people.length === 0) {
    if (done === null) return null;
    return (
      <Notice tone="success" isLive>
        {done}
      </Notice>
    );
  }
  return (
    <section className={styles.selection} aria-label={t('people.selection')}>
      <span className={styles.count} role="status">
        {t('people.selected', { count: people.length })}
      </span>
      {actions.map(({ one, count }) => (
        <Button key={one} size="small" onClick={() => setAction(one)}>
          {t(`people.many.${one}.action`, { count })}
        </Button>
      ))}
      {remindable.map(({ kind, able }) => (
        <Button key={kind} size="small" onClick={() => setReminding(kind)}>
          {t(`people.remind.${kind}.action`, { count: able.length })}
        </Button>
      ))}
      <Button size="small" onClick={() => savePeople(token.tokenId, people, t)}>
        {t('people.saveSelected')}
      </Button>
      {people.length < Math.min(total, MAX_SELECTED) && (
        <Button size="small" isBusy={isBusy} onClick={() => void selectAll()}>
          {t('people.selectAll', { count: Math.min(total, MAX_SELECTED) })}
        </Button>
      )}
      <Button size="small" variant="quiet" onClick={() => onSelect(new Map())}>
        {t('people.selectNone')}
      </Button>
      {error !== null && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      {reminding !== null && (
        <RemindDialog
          token={token}
          kind={reminding}
          people={people.filter((person) => isRemindable(reminding, person))}
          onChange={onChange}
          onClose={(reminded) => {
            setReminding(null);
            if (reminded === null) return;
            setDone(<RemindedCounts counts={reminded} />);
            onSelect(new Map());
          }}
        />
      )}
      {action === 'renew' && (
        <RenewDialog
          token={token}
          people={able}
          onChange={onChange}
          onClose={(until, count) => {
            setAction(null);
            if (until === null) return;
            setDone(t('people.many.renew.done', { count, date: end(until) }));
            onSelect(new Map());
          }}
        />
      )}
      {action !== null && action !== 'renew' && (
        <ManyDialog
          token={token}
          action={action}
          people={able}
          onChange={onChange}
          onClose={(isDone) => {
            setAction(null);
            if (!isDone) return;
            setDone(t(`people.many.${action}.done`, { count: able.length }));
            onSelect(new Map());
          }}
        />
      )}
    </section>
  );
}
