import { BadgeApiError } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { useFormats } from '../../formats.ts';
import { useLoaded } from '../../use-loaded.ts';
import { readTypedAddress } from '../../wallet/address.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import { TextAreaField, TextField } from '../text-field.tsx';
import type { BadgePartProps } from './badge-part.ts';

const MAX_REASON_LENGTH = 500;

type Change = { kind: 'revoke' | 'reinstate' | 'move'; address: string };

/** Who holds the badge, with what the community can do about it. */
export function OwnerList({ token: { tokenId }, version, onChange }: BadgePartProps) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { dateTime } = useFormats();
  const [change, setChange] = useState<Change | null>(null);
  return (
    <>
      <Listing
        name={`owners/${tokenId}/${version}`}
        title={t('badge.owners')}
        list={(part, signal) => badge.listOwners({ tokenId, ...part }, { signal })}
        searchLabel={t('owners.search')}
        matches={({ address }, text) => address.toLowerCase().includes(text)}
        renderSearch={(text) => (
          <LostOwner
            tokenId={tokenId}
            text={text}
            version={version}
            onReinstate={(address) => setChange({ kind: 'reinstate', address })}
          />
        )}
        csvPath={`/v1/tokens/${tokenId}/owners`}
        empty={t('owners.none')}
      >
        {(items) => (
          <Rows>
            {items.map(({ address, claimedAtTimestamp }) => (
              <Row
                key={address}
                title={<Address value={address} hasCopyButton />}
                detail={t('owners.since', { date: dateTime(claimedAtTimestamp) })}
                actions={
                  may('editor') && (
                    <>
                      <Button
                        size="small"
                        aria-label={`${t('owners.move')}: ${address}`}
                        onClick={() => setChange({ kind: 'move', address })}
                      >
                        {t('owners.move')}
                      </Button>
                      <Button
                        size="small"
                        aria-label={`${t('owners.revoke')}: ${address}`}
                        onClick={() => setChange({ kind: 'revoke', address })}
                      >
                        {t('owners.revoke')}
                      </Button>
                    </>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </Listing>
      {change !== null && (
        <OwnerDialog tokenId={tokenId} change={change} onDone={onChange} onClose={() => setChange(null)} />
      )}
    </>
  );
}

/** What has become of the badge of an address that was searched and holds it no more. */
function LostOwner({
  tokenId,
  text,
  version,
  onReinstate,
}: {
  tokenId: number;
  text: string;
  version: number;
  onReinstate: (address: string) => void;
}) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { dateTime } = useFormats();
  const read = readTypedAddress(text);
  const address = 'address' in read ? read.address : null;
  const state = useLoaded(`owner/${tokenId}/${address}/${version}`, async (signal) => {
    if (address === null) return null;
    try {
      return await badge.getOwner({ tokenId, address }, { signal });
    } catch (error) {
      if (error instanceof BadgeApiError && error.name === 'OwnerNotFound') return null;
      throw error;
    }
  });
  const owner = state.status === 'loaded' ? state.value : null;
  if (owner === null || owner.status === 'held') return null;
  return (
    <Rows>
      <Row
        title={<Address value={owner.address} />}
        status={t(`owners.status.${owner.status}`)}
        tone="bad"
        detail={dateTime(owner.statusChangedAtTimestamp)}
        actions={
          owner.status === 'revoked' &&
          may('editor') && (
            <Button size="small" onClick={() => onReinstate(owner.address)}>
              {t('owners.reinstate')}
            </Button>
          )
        }
      />
    </Rows>
  );
}

function OwnerDialog({
  tokenId,
  change: { kind, address },
  onDone,
  onClose,
}: {
  tokenId: number;
  change: Change;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation(['console', 'translation']);
  const { badge } = useSession();
  const [reason, setReason] = useState('');
  const [typedAddress, setTypedAddress] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  // One key for all presses of the button, so that a repeated request has no second effect.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
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
      <TextAreaField
        label={t('owners.dialog.reason')}
        hint={t('owners.dialog.reasonHint')}
        maxLength={MAX_REASON_LENGTH}
        value={reason}
        error={isChecked && isReasonMissing ? t('owners.dialog.reasonMissing') : null}
        onChange={(event) => setReason(event.target.value)}
      />
    </ActionDialog>
  );
}
