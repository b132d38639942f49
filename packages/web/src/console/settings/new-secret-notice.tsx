import type { WebhookWithSecret } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Notice } from '../../design/notice.tsx';
import styles from './settings-page.module.css';

interface NewSecretNoticeProps {
  webhook: WebhookWithSecret;
  /** Whether the webhook itself is new. */
  isNew?: boolean;
  onClose: () => void;
}

/** The secret of a webhook, which is shown this once. */
export function NewSecretNotice({ webhook, isNew = false, onClose }: NewSecretNoticeProps) {
  const { t } = useTranslation('console');
  return (
    <Notice
      tone="success"
      isLive
      title={t(isNew ? 'webhooks.created' : 'webhooks.rotated')}
      actions={<Button onClick={onClose}>{t('dialog.close')}</Button>}
    >
      <p>
        <bdi>{webhook.name}</bdi>
      </p>
      <p className={styles.key}>
        <bdi dir="ltr">{webhook.secret}</bdi>
        <CopyButton text={webhook.secret} />
      </p>
      <p>{t('webhooks.secretUse')}</p>
    </Notice>
  );
}
