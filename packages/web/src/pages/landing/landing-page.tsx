import type { Environment } from '@badge/sdk';
import { useEffect } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { badge } from '../../api.ts';
import { shortenAddress } from '../../design/address.tsx';
import { BadgeCard, BadgeGrid } from '../../design/badge-card.tsx';
import { BadgeGridPlaceholder } from '../../design/badge-grid-placeholder.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { LinkIcon, MedalIcon, PrintIcon, ShareIcon } from '../../design/icons.tsx';
import { useFormats } from '../../formats.ts';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { type Loaded, useLoaded, useReloadWhenShown } from '../../use-loaded.ts';
import { AddressForm } from '../../wallet/address-form.tsx';
import { useLastAddress } from '../../wallet/last-address.ts';
import { ExampleBadges } from './example-badges.tsx';
import { FirstSteps } from './first-steps.tsx';
import styles from './landing-page.module.css';

const LATEST_COUNT = 8;
/** Links to `/#your-badges` lead to the search for an address. */
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
  const lastAddress = useLastAddress();
  const isSandbox = isKnownSandbox(environment);
  useSearchLinks();

  return (
    <>
      <section className={styles.hero}>
        <div className={styles.pitch}>
          <h1>{t('landing.title')}</h1>
          <p className={styles.lead}>{t('landing.lead')}</p>
          <Actions lastAddress={lastAddress} environment={environment} />
        </div>
        <ExampleBadges />
      </section>
      <WalletSearch isMain={lastAddress === null} />
      <LatestBadges />
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
      <section className={styles.organizers} aria-labelledby="organizers">
        <div>
          <h2 id="organizers">{t('landing.organizers.title')}</h2>
          <p className={styles.muted}>{t('landing.organizers.text')}</p>
        </div>
        <ButtonLink href="/badges">
          <PrintIcon /> {t('landing.organizers.choose')}
        </ButtonLink>
      </section>
      {isSandbox && <FirstSteps />}
    </>
  );
}

interface ActionsProps {
  /** The address of the last claim in this browser, or null. */
  lastAddress: string | null;
  environment: Loaded<Environment>;
}

/** Links for people with badges, for organizers, and for developers. */
function Actions({ lastAddress, environment }: ActionsProps) {
  const { t } = useTranslation();
  const isSandbox = isKnownSandbox(environment);
  return (
    <div className={styles.actions}>
      {/* Most visitors have a badge, or want one, so the first button is for them. */}
      {lastAddress === null ? (
        <ButtonLink
          variant="primary"
          size="large"
          href={`/#${SEARCH_ID}`}
          // The router changes the URL without the event `hashchange`, so the button itself focuses the search.
          onClick={() => focusSearch('auto')}
        >
          {t('landing.search.find')}
        </ButtonLink>
      ) : (
        <ButtonLink variant="primary" size="large" href={`/wallet/${lastAddress}`}>
          <span>
            <Trans
              i18nKey="landing.yourBadges"
              values={{ address: shortenAddress(lastAddress) }}
              components={{ address: <bdi dir="ltr" className={styles.address} /> }}
            />
          </span>
        </ButtonLink>
      )}
      {/* The console is a build of its own, so the browser follows this link, not the router. */}
      <ButtonLink size="large" isExternal href="/console/make">
        {t('landing.organizers.create')}
      </ButtonLink>
      {environment.status !== 'loading' && (
        <ButtonLink
          variant="quiet"
          size="large"
          isExternal
          {...(isSandbox ? { href: '#first-steps' } : { href: '/docs', hrefLang: 'en' })}
        >
          {isSandbox ? t('landing.steps.title') : t('shell.apiReference')}
        </ButtonLink>
      )}
    </div>
  );
}

/** Whether the environment has been read, and is a sandbox. */
function isKnownSandbox(environment: Loaded<Environment>): boolean {
  return environment.status === 'loaded' && environment.value.environment === 'sandbox';
}

function LatestBadges() {
  const { t } = useTranslation();
  const { date } = useFormats();
  const latest = useLoaded('latest', (signal) =>
    badge.listTokens({ limit: LATEST_COUNT, order: 'desc' }, { signal }),
  );

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
            <ButtonLink href="/console/make" isExternal>
              {t('landing.organizers.create')}
            </ButtonLink>
          }
        >
          <p>{t('landing.none.text')}</p>
        </EmptyState>
      )}
      {latest.status === 'loaded' && latest.value.data.length > 0 && (
        <>
          <BadgeGrid>
            {latest.value.data.map((token) => (
              <BadgeCard
                key={token.tokenId}
                href={`/token/${token.tokenId}`}
                headline={token.headline}
                pictureUrl={token.imageUrl}
                design={token.nftTypeId}
                detail={date(token.createdAtTimestamp)}
              />
            ))}
          </BadgeGrid>
          <div>
            <ButtonLink href="/badges">{t('landing.all')}</ButtonLink>
          </div>
        </>
      )}
    </section>
  );
}

/**
 * Focuses the search when the page is opened by a link to it. The browser itself cannot, because the search does not
 * exist until this script has run.
 */
function useSearchLinks(): void {
  useEffect(() => {
    function focus(): void {
      if (location.hash === `#${SEARCH_ID}`) focusSearch('instant');
    }
    focus();
    addEventListener('hashchange', focus);
    return () => removeEventListener('hashchange', focus);
  }, []);
}

/** Focuses the button for the address that the browser remembers. If there is no such button, focuses the field. */
function focusSearch(behavior: ScrollBehavior): void {
  const search = document.getElementById(SEARCH_ID);
  search?.scrollIntoView({ behavior });
  search?.querySelector<HTMLElement>('button, textarea')?.focus({ preventScroll: true });
}

/** A field for an address, which leads to the page of the wallet. With `isMain`, it is the main action of the page. */
function WalletSearch({ isMain }: { isMain: boolean }) {
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
        isMain={isMain}
        onAddress={(address) => navigate(`/wallet/${address}`)}
      />
    </section>
  );
}
