import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { TextAreaField, TextField } from '../../design/text-field.tsx';
import { makeRandomId } from '../../random-id.ts';
import { readTypedAddress } from '../../wallet/address.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { useSession } from '../session/session.ts';
import { Details } from './details.tsx';

const MAX_REASON_LENGTH = 500;

export interface OwnerChange {
  kind: 'revoke' | 'reinstate' | 'move';
  address: string;
  /** The name and the e-mail of whom the address belongs to, as far as they are known. */
  person?: readonly string[];
}

/** Takes the badge of an address, gives it back or moves it, with a reason. */
export function OwnerDialog({
  tokenId,
  change: { kind, address, person = [] },
  onDone,
  onClose,
}: {
  tokenId: number;
  change: OwnerChange;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation(['console', 'translation']);
  const { badge } = useSession();
  const [reason, setReason] = useState('');
  const [typedAddress, setTypedAddress] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  // One key for all presses of the button, so that a repeated request has no second effect.
  const [idempotencyKey] = useState(() => makeRandomId());
  const read = readTypedAddress(typedAddress);
  const isReasonMissing = reason.trim() === '';
  const isAddressWrong = kind === 'move' && 'problem' in read;

  async function submit(): Promise<void> {
    setIsChecked(true);
    if (isReasonMissing || isAddressWrong) throw new FieldError();
    const body = { tokenId, address, reason: reason.trim() };
    const options = { idempotencyKey };
    const operation =
      kind === 'move' && 'address' in read
        ? badge.move({ ...body, toAddress: read.address }, options)
        : badge[kind === 'revoke' ? 'revoke' : 'reinstate'](body, options);
    await (await operation).wait();
    onDone();
  }

  return (
    <ActionDialog
      title={t(`owners.dialog.${kind}.title`)}
      submitLabel={t(`owners.dialog.${kind}.submit`)}
      isDangerous={kind === 'revoke'}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{t(`owners.dialog.${kind}.text`)}</p>
      <p>
        <Details of={person} />
        {person.length > 0 && ' · '}
        <Address value={address} />
      </p>
      {kind === 'move' && (
        <TextField
          label={t('owners.dialog.toAddress')}
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          value={typedAddress}
          error={isChecked && 'problem' in read ? t(`translation:address.problems.${read.problem}`) : null}
          onChange={(event) => setTypedAddress(event.target.value)}
        />
      )}
      <ReasonField value={reason} isMissing={isChecked && isReasonMissing} onChange={setReason} />
    </ActionDialog>
  );
}

interface ReasonFieldProps {
  value: string;
  isMissing: boolean;
  onChange: (value: string) => void;
}

/** Why somebody loses a badge or gets it back. */
export function ReasonField({ value, isMissing, onChange }: ReasonFieldProps) {
  const { t } = useTranslation('console');
  return (
    <TextAreaField
      label={t('owners.dialog.reason')}
      hint={t('owners.dialog.reasonHint')}
      maxLength={MAX_REASON_LENGTH}
      value={value}
      error={isMissing ? t('owners.dialog.reasonMissing') : null}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
