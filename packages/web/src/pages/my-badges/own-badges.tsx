import type { OwnToken } from '@badge/sdk';
import { useMemo, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { shortenAddress } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { VisuallyHidden } from '../../design/visually-hidden.tsx';
import { PagedSection, usePagedList } from '../../paged-list.tsx';
import { clientOf, type PersonSession, signOut } from '../../sign-in/person-session.ts';
import { useLoaded, useReloadWhenShown } from '../../use-loaded.ts';
import { CommunitiesPart } from './communities-part.tsx';
import { CredentialDialog } from './credential-dialog.tsx';
import { GiveUpDialog } from './give-up-dialog.tsx';
import { MovePart } from './move-part.tsx';
import styles from './my-badges.module.css';
import { OwnBadge } from './own-badge.tsx';
import { SessionsPart } from './sessions-part.tsx';

const PAGE_SIZE = 24;

/** The badges of who has signed in. */
export function OwnBadges({ session }: { session: PersonSession }) {
  const { t } = useTranslation('myBadges');
  const client = useMemo(() => clientOf(session), [session]);
  const tokens = usePagedList({
    name: `own/${session.key}`,
    pageSize: PAGE_SIZE,
    parameter: 'page',
    list: (part, signal) => client.listOwnTokens(part, { signal }),
  });
  const account = useLoaded(`account/${session.key}`, (signal) => client.getSession({ signal }));
  const [dialog, setDialog] = useState<{ name: 'credential' | 'giveUp'; token: OwnToken } | null>(null);
  const [said, setSaid] = useState('');
  // A person may have claimed a badge in another tab.
  useReloadWhenShown(tokens.reload);
  const who = session.email ?? shortenAddress(session.address ?? '');
  const hasBadges = tokens.items.length > 0;
  function reload(): void {
    tokens.reload();
    account.reload();
  }

  return (
    <div className="page-parts">
      <header className={styles.header}>
        <h1>{t('title')}</h1>
        <div className={styles.actions}>
          <p className={styles.muted}>
            <Trans t={t} i18nKey="signedIn" components={{ who: <bdi dir="ltr">{who}</bdi> }} />
          </p>
          <Button size="small" onClick={() => signOut(session)}>
            {t('signOut')}
          </Button>
        </div>
      </header>
      <PagedSection
        title={t('badges')}
        list={tokens}
        empty={
          <EmptyState title={t('none.title')}>
            <p>{t('none.text')}</p>
          </EmptyState>
        }
      >
        {(items) => (
          <ul className={`plain-list ${styles.badges}`}>
            {items.map((token) => (
              <OwnBadge
                key={token.badgeTokenId}
                token={token}
                client={client}
                onChange={(isHidden) => {
                  setSaid(t(isHidden ? 'isHidden' : 'isShown'));
                  tokens.reload();
                }}
                onDownload={() => setDialog({ name: 'credential', token })}
                onGiveUp={() => setDialog({ name: 'giveUp', token })}
              />
            ))}
          </ul>
        )}
      </PagedSection>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      {session.email !== null && account.status === 'loaded' && (
        <MovePart client={client} account={account.value} hasBadges={hasBadges} onMove={reload} />
      )}
      <CommunitiesPart client={client} tokens={tokens.items} />
      <SessionsPart client={client} session={session} />
      {dialog?.name === 'credential' && (
        <CredentialDialog
          client={client}
          token={dialog.token}
          hasEmail={session.email !== null}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog?.name === 'giveUp' && (
        <GiveUpDialog
          client={client}
          token={dialog.token}
          onClose={(isDone) => {
            setDialog(null);
            if (!isDone) return;
            setSaid(t('giveUpDialog.done'));
            tokens.reload();
          }}
        />
      )}
    </div>
  );
}
