import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ActionDialog } from '../action-dialog.tsx';
import { isSendTimeWrong } from '../give/delivery-part.tsx';
import { TimeField } from '../make/row-fields.tsx';
import { toStart } from '../make/typed-times.ts';
import { useSession } from '../session/session.ts';

interface MoveMailDialogProps {
  tokenId: number;
  invitationId: string;
  onChange: () => void;
  onClose: () => void;
}

/** Moves the time of a mail that is planned, or sends it now. */
export function MoveMailDialog({ tokenId, invitationId, onChange, onClose }: MoveMailDialogProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const [time, setTime] = useState({ day: '', time: '' });
  const isNow = time.day === '' && time.time === '';
  return (
    <ActionDialog
      title={t('people.moveMail.title')}
      submitLabel={t(isNow ? 'people.moveMail.now' : 'people.moveMail.submit')}
      isReady={!isSendTimeWrong(time)}
      onSubmit={async () => {
        await badge.updateInvitation({ tokenId, invitationId, sendAtTimestamp: toStart(time) });
        onChange();
      }}
      onClose={onClose}
    >
      <p>{t('people.moveMail.text')}</p>
      <TimeField
        legend={t('give.delivery.sendAt')}
        hint={t('give.delivery.sendAtHint')}
        value={time}
        error={isSendTimeWrong(time) ? t('give.delivery.sendAtWrong') : null}
        onChange={setTime}
      />
    </ActionDialog>
  );
}
