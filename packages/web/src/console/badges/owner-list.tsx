import type { OwnerState } from '@badge/sdk';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address, shortenAddress } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useFormats } from '../../formats.ts';
import { NamedAddress } from '../../token/named-address.tsx';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { readTypedAddress } from '../../wallet/address.ts';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import styles from './badge-page.module.css';
import type { BadgePartProps } from './badge-part.ts';
import { Details } from './details.tsx';
import { type Claimants, findOwner, readClaimants, rememberRevoked } from './lost-owners.ts';
import { matchesAddress } from './match-address.ts';
import { type OwnerChange, OwnerDialog, ReinstatedNotice } from './owner-dialog.tsx';
import { useNames } from './use-names.ts';

const NOBODY: Claimants = { byAddress: new Map(), lost: [], isComplete: true };

/** Who holds the badge and who has lost it, with what the community can do about it. */
export function OwnerList({ token, version, eventCount, onChange }: BadgePartProps) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { dateTime } = useFormats();
  const { tokenId } = token;
  const [change, setChange] = useState<OwnerChange | null>(null);
  /**
   * The address that lost the badge last, or got it back. It stays until the page is left, so that a mistake
   * can be undone.
   */
  const [last, setLast] = useState<{ kind: 'revoke' | 'reinstate'; address: string } | null>(null);
  const claimants = useLoaded(`claimants/${tokenId}/${version}`, (signal) =>
    readClaimants(badge, token, signal),
  );
  useReloadOn(eventCount, claimants.reload);
  const { byAddress, lost, isComplete } = claimants.status === 'loaded' ? claimants.value : NOBODY;
  const nameOf = useNames(token);

  /** The name and the e-mail of an address, as far as they are known. */
  function describe(address: string): string[] {
    const contributor = byAddress.get(address.toLowerCase())?.contributor ?? '';
    const email = contributor.includes('@') ? contributor : '';
    return [nameOf(email) || nameOf(address), email].filter((text) => text !== '');
  }

  const matches = (address: string, text: string) =>
    matchesAddress(address, text) || describe(address).some((known) => known.toLowerCase().includes(text));

  function finish({ kind, address }: OwnerChange): void {
    if (kind === 'revoke') rememberRevoked(tokenId, address);
    setLast(kind === 'move' ? null : { kind, address });
    onChange();
  }

  return (
    <>
      {last?.kind === 'reinstate' && <ReinstatedNotice address={last.address} />}
      {last?.kind === 'revoke' && (
        <Notice
          tone="success"
          isLive
          actions={
            <Button
              onClick={() =>
                setChange({ kind: 'reinstate', address: last.address, reason: t('owners.undoReason') })
              }
            >
              {t('owners.undo')}
            </Button>
          }
        >
          {t('owners.revoked', { address: shortenAddress(last.address) })}
        </Notice>
      )}
      <Listing
        name={`owners/${tokenId}/${version}`}
        refreshCount={eventCount}
        title={t('badge.owners')}
        list={(part, signal) => badge.listOwners({ tokenId, ...part }, { signal })}
        searchLabel={t('owners.search')}
        matches={({ address }, text) => matches(address, text)}
        describeFound={(count) => t('owners.found', { count })}
        renderMore={(text) => (
          <LostOwners
            tokenId={tokenId}
            lost={lost}
            isComplete={isComplete}
            text={text}
            matches={matches}
            describe={describe}
            version={version}
            onReinstate={(address) => setChange({ kind: 'reinstate', address })}
          />
        )}
        csvPath={`/v1/tokens/${tokenId}/owners`}
        empty={t(lost.length > 0 ? 'owners.noneNow' : 'owners.none')}
      >
        {(items) => (
          <Rows>
            {items.map(({ address, claimedAtTimestamp }) => (
              <Row
                key={address}
                title={<NamedAddress value={address} hasCopyButton />}
                detail={
                  <Details
                    of={[...describe(address), t('owners.since', { date: dateTime(claimedAtTimestamp) })]}
                  />
                }
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
        <OwnerDialog
          tokenId={tokenId}
          change={{ ...change, person: describe(change.address) }}
          onDone={() => finish(change)}
          onClose={() => setChange(null)}
        />
      )}
    </>
  );
}

interface LostOwnersProps {
  tokenId: number;
  lost: readonly OwnerState[];
  isComplete: boolean;
  /** The text that is searched; empty if none is. */
  text: string;
  matches: (address: string, text: string) => boolean;
  describe: (address: string) => string[];
  version: number;
  onReinstate: (address: string) => void;
}

/** Those who have lost the badge. The search for a whole address finds everybody. */
function LostOwners(props: LostOwnersProps) {
  const { tokenId, lost, isComplete, text, matches, describe, version, onReinstate } = props;
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { dateTime } = useFormats();
  const titleId = useId();
  const read = readTypedAddress(text);
  const address = 'address' in read ? read.address : null;
  const searched = useLoaded(`owner/${tokenId}/${address}/${version}`, async (signal) =>
    address === null ? null : await findOwner(badge, tokenId, address, signal),
  );
  const owner = searched.status === 'loaded' ? searched.value : null;
  const known = lost.filter((one) => matches(one.address, text));
  const isAlsoFound =
    owner !== null && owner.status !== 'held' && known.every((one) => one.address !== owner.address);
  const shown = isAlsoFound ? [owner, ...known] : known;
  if (shown.length === 0) return null;
  return (
    <section className={styles.lost} aria-labelledby={titleId}>
      <h2 id={titleId}>{t('owners.lost')}</h2>
      <Rows>
        {shown.map(({ address: lostBy, status, statusChangedAtTimestamp }) => (
          <Row
            key={lostBy}
            title={<Address value={lostBy} hasCopyButton />}
            status={t(`owners.status.${status}`)}
            tone="bad"
            detail={<Details of={[...describe(lostBy), dateTime(statusChangedAtTimestamp)]} />}
            actions={
              status === 'revoked' &&
              may('editor') && (
                <Button
                  size="small"
                  aria-label={`${t('owners.reinstate')}: ${lostBy}`}
                  onClick={() => onReinstate(lostBy)}
                >
                  {t('owners.reinstate')}
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {!isComplete && <p className={styles.description}>{t('owners.lostIncomplete')}</p>}
    </section>
  );
}
