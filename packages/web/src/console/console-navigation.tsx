import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useRoute } from 'wouter';
import { shortenAddress } from '../design/address.tsx';
import { Button } from '../design/button.tsx';
import { ActionDialog } from './action-dialog.tsx';
import styles from './console-navigation.module.css';
import { type NamedCommunity, useSession } from './session/session.ts';

/** The pages of the console, the community that is open, and who is signed in. */
export function ConsoleNavigation() {
  const { t } = useTranslation('console');
  const { may, communityId, kind, address, role, isOperator, signOut, signOutEverywhere } = useSession();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <div className={styles.bar}>
      <nav aria-label={t('frame.navigation')}>
        <ul className={`plain-list ${styles.pages}`}>
          <Page href="/" pattern="/badges/*?" label={t('frame.badges')} />
          {may('editor') && <Page href="/make" pattern="/make" label={t('frame.make')} />}
          <Page href="/settings" pattern="/settings/*?" label={t('frame.settings')} />
        </ul>
      </nav>
      <div className={styles.session}>
        {communityId !== '' && <CommunitySwitch />}
        {/* The settings say what this means. */}
        <Link href="/settings" className={styles.who}>
          <span className={isOperator ? undefined : styles.kind}>
            {kind === 'session' && address !== null ? (
              <bdi dir="ltr">{shortenAddress(address)}</bdi>
            ) : (
              t(`frame.${kind === 'operator' ? 'operator' : 'key'}`)
            )}
          </span>
          {!isOperator && <span className={styles.role}>{t(`roles.${role}`)}</span>}
        </Link>
        <span className={styles.leave}>
          <Button size="small" variant="quiet" onClick={signOut}>
            {t('frame.signOut')}
          </Button>
          {kind === 'session' && (
            <Button size="small" variant="quiet" onClick={() => setIsAsking(true)}>
              {t('frame.signOutEverywhere')}
            </Button>
          )}
        </span>
      </div>
      {isAsking && (
        <ActionDialog
          title={t('frame.everywhereDialog.title')}
          submitLabel={t('frame.signOutEverywhere')}
          onSubmit={signOutEverywhere}
          onClose={() => setIsAsking(false)}
        >
          <p>{t('frame.everywhereDialog.text')}</p>
        </ActionDialog>
      )}
    </div>
  );
}

function Page({ href, pattern, label }: { href: string; pattern: string; label: string }) {
  const [isExact] = useRoute(href);
  const [isBelow] = useRoute(pattern);
  return (
    <li>
      <Link href={href} className={styles.page} aria-current={isExact || isBelow ? 'page' : undefined}>
        {label}
      </Link>
    </li>
  );
}

function CommunitySwitch() {
  const { t } = useTranslation('console');
  const { communityId, communities, openCommunity } = useSession();
  if (communities.length === 1) return <bdi className={styles.community}>{communities[0]?.name}</bdi>;
  return (
    <select
      className={styles.select}
      aria-label={t('frame.community')}
      value={communityId}
      onChange={(event) => openCommunity(event.target.value)}
    >
      {listOptions(communities).map(({ communityId: id, text }) => (
        <option key={id} value={id}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** The names, and also the ids of those that have the same name. */
function listOptions(communities: readonly NamedCommunity[]): { communityId: string; text: string }[] {
  const byName = Map.groupBy(communities, ({ name }) => name);
  return communities.map(({ communityId, name }) => ({
    communityId,
    text: byName.get(name)?.length === 1 ? name : `${name} (${communityId})`,
  }));
}
