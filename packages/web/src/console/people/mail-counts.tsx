import type { Token } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { useSession } from '../session/session.ts';
import styles from './people-list.module.css';

const COUNTED = ['scheduled', 'queued', 'failed'] as const;

interface MailCountsProps {
  token: Token;
  version: number;
  eventCount: number;
  /** Shows only the people with a status. */
  onShow: (status: (typeof COUNTED)[number]) => void;
  onChange: () => void;
}

/** How many mails wait or have failed, which somebody should know. Those that wait can be cancelled. */
export function MailCounts({ token: { tokenId }, version, eventCount, onShow, onChange }: MailCountsProps) {
  const { t } = useTranslation('console');
  const { badge, communityId, may } = useSession();
  const [isCancelling, setIsCancelling] = useState(false);
  const loaded = useLoaded(`mail-counts/${tokenId}`, async (signal) => {
    const [scheduled, queued, failed] = await Promise.all(
      COUNTED.map((status) => badge.listRecipients({ tokenId, status, limit: 1 }, { signal })),
    );
    return { scheduled: scheduled?.total ?? 0, queued: queued?.total ?? 0, failed: failed?.total ?? 0 };
  });
  useReloadOn(version + eventCount, loaded.reload);
  const counts = loaded.status === 'loaded' ? loaded.value : { scheduled: 0, queued: 0, failed: 0 };
  if (counts.scheduled + counts.queued + counts.failed === 0 && !isCancelling) return null;
  return (
    <div className={styles.mails}>
      {COUNTED.filter((status) => counts[status] > 0).map((status) => (
        <Button key={status} size="small" onClick={() => onShow(status)}>
          {t(`people.mails.${status}`, { count: counts[status] })}
        </Button>
      ))}
      {may('issuer') && counts.scheduled + counts.queued > 0 && (
        <Button size="small" onClick={() => setIsCancelling(true)}>
          {t('people.cancelMails.action')}
        </Button>
      )}
      {isCancelling && (
        <ActionDialog
          title={t('people.cancelMails.title')}
          submitLabel={t('people.cancelMails.action')}
          isDangerous
          onSubmit={async () => {
            await badge.cancelMails({ communityId, tokenId });
            onChange();
          }}
          onClose={() => setIsCancelling(false)}
        >
          <p>{t('people.cancelMails.text')}</p>
        </ActionDialog>
      )}
    </div>
  );
}
