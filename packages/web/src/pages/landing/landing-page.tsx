import { type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { badge } from '../../api.ts';
import { BadgeCard, BadgeGrid } from '../../design/badge-card.tsx';
import { BadgeGridPlaceholder } from '../../design/badge-grid-placeholder.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { LinkIcon, MedalIcon, ShareIcon } from '../../design/icons.tsx';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { useLoaded, useReloadWhenShown } from '../../use-loaded.ts';
import { AddressForm } from '../../wallet/address-form.tsx';
import { ExampleBadges } from './example-badges.tsx';
import { FirstSteps } from './first-steps.tsx';
import styles from './landing-page.module.css';

const LATEST_COUNT = 8;
/** Links to `/#your-badges` lead to the field for an address. */
const SEARCH_ID = 'your-badges';
const STEPS = [
  { key: 'link', Icon: LinkIcon },
  { key: 'claim', Icon: MedalIcon },
  { key: 'show', Icon: ShareIcon },
] as const;

export default function LandingPage() {
  const { t } = useTranslation();
  usePageTitle('');
  const environment = useLoaded('environment', (signal) => badge.getEnvironment({ signal }));
  const isSandbox = environment.status === 'loaded' && environment.value.environment === 'sandbox';
  const addressRef = useRef<HTMLTextAreaElement>(null);
  useSearchLinks(addressRef);

  return (
    <>
      <section className={styles.hero}>
        <div className={styles.pitch}>
          <h1>{t('landing.title')}</h1>
          <p className={styles.lead}>{t('landing.lead')}</p>
          <div className={styles.actions}>
            {/* Most visitors have a badge, or want one. Few are developers. */}
            <ButtonLink
              variant="primary"
              size="large"
              href={`/#${SEARCH_ID}`}
              onClick={() => focusSearch(addressRef.current, 'auto')}
            >
              {t('landing.search.find')}
            </ButtonLink>
            {environment.status !== 'loading' && (
              <ButtonLink variant="quiet" size="large" href={isSandbox ? '#first-steps' : '/docs'} isExternal>
                {isSandbox ? t('landing.steps.title') : t('shell.apiReference')}
              </ButtonLink>
            )}
          </div>
        </div>
        <ExampleBadges />
      </section>
      <WalletSearch addressRef={addressRef} />
      <LatestBadges isSandbox={isSandbox} />
      <section className={styles.section} aria-labelledby="how">
        <h2 id="how">{t('landing.how.title')}</h2>
        <ol className={`plain-list ${styles.how}`}>
          {STEPS.map(({ key, Icon }) => (
            <li key={key}>
              <span className={styles.howIcon}>
                <Icon />
              </span>
              <h3>{t(`landing.how.${key}.title`)}</h3>
              <p className={styles.muted}>{t(`landing.how.${key}.text`)}</p>
            </li>
          ))}
        </ol>
      </section>
      {isSandbox && <FirstSteps />}
    </>
  );
}

function LatestBadges({ isSandbox }: { isSandbox: boolean }) {
  const { t, i18n } = useTranslation();
  const latest = useLoaded('latest', (signal) =>
    badge.listTokens({ limit: LATEST_COUNT, order: 'desc' }, { signal }),
  );
  const formatDate = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' });

  // Whoever has created a badge in a terminal sees it when the page is shown again.
  useReloadWhenShown(latest.reload);

  return (
    <section className={styles.section} aria-labelledby="latest">
      <h2 id="latest">{t('landing.latest')}</h2>
      {latest.status === 'loading' && <BadgeGridPlaceholder count={LATEST_COUNT} />}
      {latest.status === 'failed' && <LoadError error={latest.error} onRetry={latest.reload} />}
      {latest.status === 'loaded' && latest.value.data.length === 0 && (
        <EmptyState
          title={t('landing.none.title')}
          actions={
            isSandbox && (
              <ButtonLink href="#first-steps" isExternal>
                {t('landing.steps.title')}
              </ButtonLink>
            )
          }
        >
          <p>{t('landing.none.text')}</p>
        </EmptyState>
      )}
      {latest.status === 'loaded' && latest.value.data.length > 0 && (
        <BadgeGrid>
          {latest.value.data.map((token) => (
            <BadgeCard
              key={token.tokenId}
              href={`/token/${token.tokenId}`}
              headline={token.headline}
              pictureUrl={token.imageUrl}
              design={token.nftTypeId}
              detail={formatDate.format(token.createdAtTimestamp)}
            />
          ))}
        </BadgeGrid>
      )}
    </section>
  );
}

/**
 * Focuses the field when the page is opened by a link to it. The browser itself cannot, because the field does not exist
 * until this script has run.
 */
function useSearchLinks(addressRef: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    function focus(): void {
      if (location.hash === `#${SEARCH_ID}`) focusSearch(addressRef.current, 'instant');
    }
    focus();
    addEventListener('hashchange', focus);
    return () => removeEventListener('hashchange', focus);
  }, [addressRef]);
}

function focusSearch(field: HTMLTextAreaElement | null, behavior: ScrollBehavior): void {
  document.getElementById(SEARCH_ID)?.scrollIntoView({ behavior });
  field?.focus({ preventScroll: true });
}

/** A field for an address, which leads to the page of the wallet. */
function WalletSearch({ addressRef }: { addressRef: RefObject<HTMLTextAreaElement | null> }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return (
    <section id={SEARCH_ID} className={styles.search} aria-labelledby="search">
      <div>
        <h2 id="search">{t('landing.search.title')}</h2>
        <p className={styles.muted}>{t('landing.search.text')}</p>
      </div>
      <AddressForm
        label={t('landing.search.label')}
        submitLabel={t('landing.search.submit')}
        isMain
        fieldRef={addressRef}
        onAddress={(address) => navigate(`/wallet/${address}`)}
      />
    </section>
  );
}
