import type { BadgeClient, CreatedReminders, Recipient, Token } from '@badge/sdk';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { useSession } from '../session/session.ts';

/** About a claim that was not made, or about the end of a badge. */
export type ReminderKind = 'claim' | 'expiry';

/** Whether a person could be reminded. The service knows who was reminded lately. */
export function isRemindable(kind: ReminderKind, { status, validUntilTimestamp }: Recipient): boolean {
  return kind === 'claim'
    ? status === 'invited' || status === 'reserved'
    : status === 'claimed' && validUntilTimestamp !== null;
}

interface RemindDialogProps {
  token: Token;
  kind: ReminderKind;
  people: readonly Recipient[];
  onChange: () => void;
  /** `reminded` says what has happened. Null: nothing. */
  onClose: (reminded: Reminded | null) => void;
}

/** Who gets a mail, and who does not. */
export type Reminded = Pick<CreatedReminders, 'queued' | 'skippedCounts'>;

/** The service takes no more people at once. */
const MAX_RECIPIENTS = 1_000;

async function remind(
  badge: BadgeClient,
  reminders: { tokenId: number; kind: ReminderKind; isDryRun?: boolean },
  { recipientIds, signal }: { recipientIds: readonly string[]; signal?: AbortSignal },
): Promise<Reminded> {
  const sum: Reminded = { queued: 0, skippedCounts: {} };
  for (let start = 0; start < recipientIds.length; start += MAX_RECIPIENTS) {
    const part = recipientIds.slice(start, start + MAX_RECIPIENTS);
    const { queued, skippedCounts } = await badge.createReminders(
      { ...reminders, recipientIds: part },
      { ...(signal !== undefined && { signal }) },
    );
    sum.queued += queued;
    for (const [reason, count] of Object.entries(skippedCounts))
      sum.skippedCounts[reason] = (sum.skippedCounts[reason] ?? 0) + count;
  }
  return sum;
}

/** Says who gets a mail, and who does not and why, before anybody is reminded. */
export function RemindDialog({ token: { tokenId }, kind, people, onChange, onClose }: RemindDialogProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const reminded = useRef<Reminded | null>(null);
  const recipientIds = people.map(({ recipientId }) => recipientId);
  const planned = useLoaded(`remind/${tokenId}/${kind}/${recipientIds.join()}`, (signal) =>
    remind(badge, { tokenId, kind, isDryRun: true }, { recipientIds, signal }),
  );
  return (
    <ActionDialog
      title={t(`people.remind.${kind}.title`)}
      submitLabel={t('people.remind.submit')}
      isReady={planned.status === 'loaded' && planned.value.queued > 0}
      onSubmit={async () => {
        reminded.current = await remind(badge, { tokenId, kind }, { recipientIds });
        onChange();
      }}
      onClose={(isDone) => onClose(isDone ? reminded.current : null)}
    >
      <p>{t(`people.remind.${kind}.text`)}</p>
      {planned.status === 'loading' && <LoadingBlock />}
      {planned.status === 'failed' && <LoadError error={planned.error} onRetry={planned.reload} />}
      {planned.status === 'loaded' && <RemindedCounts counts={planned.value} />}
    </ActionDialog>
  );
}

/** How many people get a mail, and why others do not. */
export function RemindedCounts({ counts: { queued, skippedCounts } }: { counts: Reminded }) {
  const { t } = useTranslation('console');
  const skipped = REASONS.filter((reason) => (skippedCounts[reason] ?? 0) > 0);
  return (
    <div role="status">
      <p>{t('people.remind.queued', { count: queued })}</p>
      {skipped.length > 0 && (
        <ul>
          {skipped.map((reason) => (
            <li key={reason}>
              {t(`people.remind.reasons.${reason}`)}: {skippedCounts[reason]}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const REASONS = [
  'claimed',
  'notSent',
  'unsubscribed',
  'ended',
  'noEmail',
  'remindedThreeTimes',
  'remindedRecently',
] as const;
