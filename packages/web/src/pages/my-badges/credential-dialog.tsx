import type { BadgeClient, OwnToken } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ActionDialog, FieldError } from '../../design/action-dialog.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { TextField } from '../../design/text-field.tsx';
import { saveFile } from '../../save-file.ts';
import { describeProblem } from './problem-notice.tsx';

interface CredentialDialogProps {
  client: BadgeClient;
  token: OwnToken;
  /** Whether the person has signed in with an e-mail, whose hash is in the credential. */
  hasEmail: boolean;
  onClose: () => void;
}

/** Downloads a credential that says who its owner is. */
export function CredentialDialog({ client, token, hasEmail, onClose }: CredentialDialogProps) {
  const { t } = useTranslation('myBadges');
  const [name, setName] = useState('');
  const [isNameMissing, setIsNameMissing] = useState(false);
  const [format, setFormat] = useState<'file' | 'picture'>('file');

  async function download(): Promise<void> {
    const typed = name.trim();
    // Without an e-mail, the name is all that such a credential says.
    if (typed === '' && !hasEmail) {
      setIsNameMissing(true);
      throw new FieldError();
    }
    const { badgeTokenId: tokenId, address } = token;
    const query = { tokenId, address, with: 'identity', ...(typed === '' ? {} : { name: typed }) } as const;
    if (format === 'picture') {
      saveFile(`badge-${tokenId}.png`, await client.getCredentialPicture(query));
      return;
    }
    const credential = JSON.stringify(await client.getCredential(query), null, 2);
    saveFile(`badge-${tokenId}.json`, new Blob([`${credential}\n`], { type: 'application/json' }));
  }

  return (
    <ActionDialog
      title={t('credential.title')}
      submitLabel={t('credential.submit')}
      cancelLabel={t('cancel')}
      describeError={(error) => describeProblem(error, t)}
      onSubmit={download}
      onClose={onClose}
    >
      <p>{t(hasEmail ? 'credential.textEmail' : 'credential.textWallet')}</p>
      <TextField
        label={t('credential.name')}
        hint={t('credential.nameHint')}
        error={isNameMissing ? t('credential.needsName') : null}
        autoComplete="name"
        dir="auto"
        maxLength={200}
        value={name}
        onChange={(event) => {
          setName(event.target.value);
          setIsNameMissing(false);
        }}
      />
      <ChoiceField
        legend={t('credential.format')}
        value={format}
        onChange={setFormat}
        isCompact
        choices={[
          { value: 'file', label: t('credential.file') },
          { value: 'picture', label: t('credential.picture') },
        ]}
      />
    </ActionDialog>
  );
}
