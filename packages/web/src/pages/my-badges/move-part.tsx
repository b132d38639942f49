import type { BadgeClient, OwnToken, Session } from '@badge/sdk';
import { useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { AddressGroups } from '../../design/address-groups.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { toChecksumAddress } from '../../wallet/address.ts';
import { discoverWallets, type InstalledWallet } from '../../wallet/discover-wallets.ts';
import { rememberWallet } from '../../wallet/last-wallet.ts';
import { connectWallet, moveToSigningChain } from '../../wallet/wallet-calls.ts';
import styles from './my-badges.module.css';
import { ProblemNotice } from './problem-notice.tsx';
import { WalletButtons } from './wallet-buttons.tsx';

const wallets = discoverWallets(window);
/** As many badges as one operation moves. */
const MAX_TOKENS = 1_000;

interface Moved {
  address: string;
  isDefault: boolean;
  /** What is still kept with the e-mail. */
  left: readonly OwnToken[];
  hasMoved: boolean;
}

interface MovePartProps {
  client: BadgeClient;
  account: Session;
  /** Whether there is anything to move. */
  hasBadges: boolean;
  onMove: () => void;
}

/** Moves all badges that are kept with an e-mail to a wallet. */
export function MovePart({ client, account, hasBadges, onMove }: MovePartProps) {
  const { t } = useTranslation('myBadges');
  const installed = useSyncExternalStore(wallets.subscribe, wallets.list);
  const [isDefault, setIsDefault] = useState(account.defaultAddress !== null);
  const [busyWallet, setBusyWallet] = useState<string | null>(null);
  const [isStopping, setIsStopping] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [moved, setMoved] = useState<Moved | null>(null);

  async function move({ provider, walletId }: InstalledWallet): Promise<void> {
    setBusyWallet(walletId);
    setError(null);
    try {
      const [address = ''] = await connectWallet(provider);
      rememberWallet(walletId);
      await moveToSigningChain(provider, address, await client.getEnvironment());
      const before = (await client.listOwnTokens({ limit: MAX_TOKENS })).data.length;
      const operation = await client.moveBadges({ signer: provider, toAddress: address, isDefault });
      await operation.wait();
      const { data: left } = await client.listOwnTokens({ limit: MAX_TOKENS });
      setMoved({ address: toChecksumAddress(address), isDefault, left, hasMoved: left.length < before });
      onMove();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusyWallet(null);
    }
  }

  async function keepLater(): Promise<void> {
    setIsStopping(true);
    setError(null);
    try {
      await client.removeDefaultAddress();
      setIsDefault(false);
      onMove();
    } catch (caught) {
      setError(caught);
    } finally {
      setIsStopping(false);
    }
  }

  const { defaultAddress } = account;
  if (!hasBadges && moved === null && defaultAddress === null) return null;
  return (
    <section className={styles.part} aria-labelledby="move">
      <h2 id="move">{t('move.title')}</h2>
      {moved === null ? (
        <>
          <p className={styles.muted}>{t('move.text')}</p>
          <p className={styles.muted}>{t('move.stays')}</p>
          <p>{t('move.linked')}</p>
          {defaultAddress !== null && (
            <>
              <p>{t('move.laterDone')}</p>
              <AddressGroups address={defaultAddress} />
              <div>
                <Button size="small" isBusy={isStopping} onClick={() => void keepLater()}>
                  {t('move.keepLater')}
                </Button>
              </div>
              {installed.length === 0 && <ProblemNotice error={error} />}
            </>
          )}
          {installed.length === 0 ? (
            <p>{t('move.noWallet')}</p>
          ) : (
            <>
              <label className={styles.check}>
                <input
                  type="checkbox"
                  checked={isDefault}
                  onChange={(event) => setIsDefault(event.target.checked)}
                />
                <span>{t('move.later')}</span>
              </label>
              <ProblemNotice error={error} />
              <WalletButtons
                installed={installed}
                label={t('move.title')}
                busyWallet={busyWallet}
                nameButton={(name) => (name === null ? t('move.unnamed') : t('move.button', { name }))}
                onChoose={(wallet) => void move(wallet)}
              />
            </>
          )}
        </>
      ) : (
        <MovedNotice moved={moved} />
      )}
    </section>
  );
}

/** What has moved, and what has not. */
function MovedNotice({ moved: { address, isDefault, left, hasMoved } }: { moved: Moved }) {
  const { t } = useTranslation('myBadges');
  return (
    <Notice
      tone={hasMoved ? 'success' : 'info'}
      isLive
      title={t(hasMoved ? 'move.moved' : 'move.notMoved')}
      actions={
        <ButtonLink size="small" href={`/wallet/${address}`}>
          {t('move.open')}
        </ButtonLink>
      }
    >
      <div className={styles.stack}>
        {hasMoved && <p>{t('move.movedTo')}</p>}
        {hasMoved && <AddressGroups address={address} />}
        {left.length > 0 && (
          <>
            <p>{t('move.left')}</p>
            <ul>
              {left.map(({ badgeTokenId, headline }) => (
                <li key={badgeTokenId}>
                  <bdi>{headline}</bdi>
                </li>
              ))}
            </ul>
          </>
        )}
        {isDefault && <p>{t('move.laterDone')}</p>}
      </div>
    </Notice>
  );
}
