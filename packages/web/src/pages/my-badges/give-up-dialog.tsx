import type { BadgeClient, OwnToken } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { ActionDialog } from '../../design/action-dialog.tsx';
import { describeProblem } from './problem-notice.tsx';

interface GiveUpDialogProps {
  client: BadgeClient;
  token: OwnToken;
  onClose: (isDone: boolean) => void;
}

/** Asks before a badge is given up. */
export function GiveUpDialog({ client, token, onClose }: GiveUpDialogProps) {
  const { t } = useTranslation('myBadges');
  return (
    <ActionDialog
      title={t('giveUpDialog.title')}
      submitLabel={t('giveUpDialog.submit')}
      cancelLabel={t('cancel')}
      isDangerous
      describeError={(error) => describeProblem(error, t)}
      onSubmit={async () => {
        const burn = await client.burn({ tokenId: token.badgeTokenId, isBySession: true });
        await burn.wait();
      }}
      onClose={onClose}
    >
      <p>
        <strong>
          <bdi>{token.headline}</bdi>
        </strong>
      </p>
      <p>{t('giveUpDialog.text')}</p>
    </ActionDialog>
  );
}
