import { useTranslation } from 'react-i18next';
import { type ActionDialogProps, ActionDialog as Dialog } from '../design/action-dialog.tsx';
import { describeError } from './describe-error.ts';
import { useIsPaused } from './session/session.ts';

export { FieldError } from '../design/action-dialog.tsx';

/** The dialog of the console that asks before something is done. */
export function ActionDialog(props: Omit<ActionDialogProps, 'cancelLabel' | 'describeError' | 'isPaused'>) {
  const { t } = useTranslation('console');
  return (
    <Dialog
      {...props}
      cancelLabel={t('dialog.cancel')}
      describeError={(error) => describeError(error, t)}
      isPaused={useIsPaused()}
    />
  );
}
