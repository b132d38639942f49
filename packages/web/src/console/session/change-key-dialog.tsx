import { type Caller, createBadgeClient } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { describeError } from '../describe-error.ts';

interface ChangeKeyDialogProps {
  /** The key of the link. */
  offered: string;
  onChange: () => void;
  onClose: () => void;
}

/**
 * Asks before the key of a link replaces who is signed in: the link can be that of somebody else's community.
 */
export function ChangeKeyDialog({ offered, onChange, onClose }: ChangeKeyDialogProps) {
  const { t } = useTranslation('console');
  const caller = useLoaded(`offered/${offered}`, (signal) =>
    createBadgeClient({ url: location.origin, apiKey: offered }).getCaller({ signal }),
  );
  return (
    <ActionDialog
      title={t('signIn.changeKey.title')}
      submitLabel={t('signIn.changeKey.submit')}
      isDangerous
      onSubmit={async () => {
        if (caller.status !== 'loaded') throw new FieldError();
        onChange();
      }}
      onClose={onClose}
    >
      {caller.status === 'loading' && <LoadingBlock />}
      {caller.status === 'failed' && <Notice tone="error">{describeError(caller.error, t)}</Notice>}
      {caller.status === 'loaded' && (
        <p>
          {caller.value.kind === 'operator'
            ? t('signIn.changeKey.operator')
            : t('signIn.changeKey.text', { communityId: namesOf(caller.value) })}
        </p>
      )}
    </ActionDialog>
  );
}

/** With the ids: a stranger can give a community the name of another one. */
const namesOf = ({ memberships }: Caller) =>
  memberships.map(({ communityId, name }) => `${name} (${communityId})`).join(', ');
