import { type ComponentProps, useEffect } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
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
import { hasKeptBadges } from '../../sign-in/kept-badges.ts';
import { useLoaded, useReloadWhenShown } from '../../use-loaded.ts';
import { AddressForm } from '../../wallet/address-form.tsx';
import { useLastAddress } from '../../wallet/last-address.ts';
import { ExampleBadges } from './example-badges.tsx';
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
  const lastAddress = useLastAddress();
  useSearchLinks();

  return (
    <>
      <section className={styles.hero}>
        <div className={styles.pitch}>
          <h1>{t('landing.title')}</h1>
          <p className={styles.lead}>{t('landing.lead')}</p>
          <Actions lastAddress={lastAddress} />
        </div>
        <ExampleBadges />
      </section>
      <WalletSearch />
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
      <section className={styles.developers} aria-labelledby="check">
        <div>
          <h2 id="check">{t('landing.check.title')}</h2>
          <p className={styles.muted}>{t('landing.check.text')}</p>
        </div>
        <ButtonLink href="/verify">{t('landing.check.link')}</ButtonLink>
      </section>
      <section className={styles.organizers} aria-labelledby="organizers">
        <div>
          <h2 id="organizers">{t('landing.organizers.title')}</h2>
          <p className={styles.muted}>{t('landing.organizers.text')}</p>
        </div>
        <div className={styles.choices}>
          <CreateLink />
          {/* Only organizers print, and they do it from the console. */}
          <ButtonLink href="/console" isExternal>
            <PrintIcon /> {t('landing.organizers.choose')}
          </ButtonLink>
        </div>
      </section>
      <section className={styles.developers} aria-labelledby="developers">
        <div>
          <h2 id="developers">{t('landing.developers.title')}</h2>
          <p className={styles.muted}>{t('landing.developers.text')}</p>
        </div>
        <div className={styles.choices}>
          <ButtonLink href="/docs" hrefLang="en" isExternal>
            {t('landing.developers.tryCalls')}
          </ButtonLink>
          <ButtonLink variant="quiet" href="/docs/errors" hrefLang="en" isExternal>
            {t('landing.developers.errors')}
          </ButtonLink>
        </div>
      </section>
    </>
  );
}

/**
 * The first action is for organizers. If the browser remembers the address of a claim, the visitor has a
 * badge, so the first action shows their badges.
 */
function Actions({ lastAddress }: { lastAddress: string | null }) {
  const { t } = useTranslation();
  return (
    <div className={styles.actions}>
      {lastAddress !== null && (
        <ButtonLink variant="primary" size="large" href={`/wallet/${lastAddress}`}>
          <span>
            <Trans
              i18nKey="landing.yourBadges"
              components={{
                address: (
                  <bdi dir="ltr" className={styles.address}>
                    {shortenAddress(lastAddress)}
                  </bdi>
                ),
              }}
            />
          </span>
        </ButtonLink>
      )}
      <CreateLink size="large" variant={lastAddress === null ? 'primary' : 'secondary'} />
      {lastAddress === null && (
        <ButtonLink
          size="large"
          href={`/#${SEARCH_ID}`}
          // The router changes the URL without the event `hashchange`, so the button itself focuses the
          // search.
          onClick={() => focusSearch('auto')}
        >
          {t('landing.search.find')}
        </ButtonLink>
      )}
    </div>
  );
}

/**
 * The link to make a badge. The console is a build of its own, so the browser follows the link, not the
 * router.
 */
function CreateLink(look: Pick<ComponentProps<typeof ButtonLink>, 'variant' | 'size'>) {
  const { t } = useTranslation();
  return (
    <ButtonLink {...look} href="/console/make" isExternal>
      {t('landing.organizers.create')}
    </ButtonLink>
  );
}

function LatestBadges() {
  const { t } = useTranslation();
  const { date } = useFormats();
  const latest = useLoaded('latest', (signal) =>
    badge.listTokens({ limit: LATEST_COUNT, order: 'desc' }, { signal }),
  );

  // Whoever has created a badge in another tab sees it when the page is shown again.
  useReloadWhenShown(latest.reload);

  return (
    <section className={styles.section} aria-labelledby="latest">
      <h2 id="latest">{t('landing.latest')}</h2>
      {latest.status === 'loading' && <BadgeGridPlaceholder count={LATEST_COUNT} />}
      {latest.status === 'failed' && <LoadError error={latest.error} onRetry={latest.reload} />}
      {latest.status === 'loaded' && latest.value.data.length === 0 && (
        <EmptyState title={t('landing.none.title')} actions={<CreateLink />}>
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
 * Focuses the search when the page is opened by a link to it. The browser itself cannot, because the search
 * does not exist until this script has run.
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

/**
 * Focuses the button for the address that the browser remembers. If there is no such button, focuses the
 * field.
 */
function focusSearch(behavior: ScrollBehavior): void {
  const search = document.getElementById(SEARCH_ID);
  search?.scrollIntoView({ behavior });
  search?.querySelector<HTMLElement>('button, textarea')?.focus({ preventScroll: true });
}

/** A field for an address, which leads to the page of the wallet. */
function WalletSearch() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return (
    <section id={SEARCH_ID} className={styles.search} aria-labelledby="search">
      <div>
        <h2 id="search">{t('landing.search.title')}</h2>
        <p className={styles.muted}>{t('landing.search.text')}</p>
        {hasKeptBadges() && (
          <p className={styles.muted}>
            {t('landing.search.signInText')} <Link href="/my-badges">{t('landing.search.signIn')}</Link>
          </p>
        )}
      </div>
      <AddressForm
        label={t('landing.search.label')}
        submitLabel={t('landing.search.submit')}
        isMain={false}
        onAddress={(address) => navigate(`/wallet/${address}`)}
      />
    </section>
  );
}
