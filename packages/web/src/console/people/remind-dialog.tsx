import type { CreatedReminders, Recipient, Token } from '@badge/sdk';
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
  onClose: (isDone: boolean) => void;
}

/** Says who gets a mail, and who does not and why, before anybody is reminded. */
export function RemindDialog({ token: { tokenId }, kind, people, onChange, onClose }: RemindDialogProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const recipientIds = people.map(({ recipientId }) => recipientId);
  const planned = useLoaded(`remind/${tokenId}/${kind}/${recipientIds.join()}`, (signal) =>
    badge.createReminders({ tokenId, kind, recipientIds, isDryRun: true }, { signal }),
  );
  return (
    <ActionDialog
      title={t(`people.remind.${kind}.title`)}
      submitLabel={t('people.remind.submit')}
      isReady={planned.status === 'loaded' && planned.value.queued > 0}
      onSubmit={async () => {
        await badge.createReminders({ tokenId, kind, recipientIds });
        onChange();
      }}
      onClose={onClose}
    >
      <p>{t(`people.remind.${kind}.text`)}</p>
      {planned.status === 'loading' && <LoadingBlock />}
      {planned.status === 'failed' && <LoadError error={planned.error} onRetry={planned.reload} />}
      {planned.status === 'loaded' && <Plan plan={planned.value} />}
    </ActionDialog>
  );
}

function Plan({ plan: { queued, skippedCounts } }: { plan: CreatedReminders }) {
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
