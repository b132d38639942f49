import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { badge } from '../../api.ts';
import { BadgeCard, BadgeGrid } from '../../design/badge-card.tsx';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Field } from '../../design/field.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { useLoaded } from '../../use-loaded.ts';
import { FirstSteps } from './first-steps.tsx';
import styles from './landing-page.module.css';

const LATEST_COUNT = 12;
/** The designs that the top of the page shows, the first in front. */
const SHOWN_DESIGNS = ['defaultOrangeRed', 'defaultCyanViolet', 'defaultGoldBlack'];

export default function LandingPage() {
  const { t } = useTranslation();
  usePageTitle('');
  const environment = useLoaded('environment', (signal) => badge.getEnvironment({ signal }));
  const isSandbox = environment.status === 'loaded' && environment.value.environment === 'sandbox';

  return (
    <>
      <section className={styles.hero}>
        <div className={styles.pitch}>
          <h1>{t('landing.title')}</h1>
          <p className={styles.lead}>{t('landing.lead')}</p>
          <div className={styles.actions}>
            {isSandbox && (
              <a className={styles.toSteps} href="#first-steps">
                {t('landing.toFirstSteps')}
              </a>
            )}
            <ButtonLink size="large" href="/docs" isExternal>
              {t('shell.apiReference')}
            </ButtonLink>
          </div>
        </div>
        <div className={styles.fan} aria-hidden="true">
          {SHOWN_DESIGNS.map((design) => (
            <BadgePicture
              key={design}
              url={`/images/nft/${design}.png`}
              alt=""
              design={design}
              isMain
              className={styles.fanned}
            />
          ))}
        </div>
      </section>
      <LatestBadges />
      <WalletSearch />
      {isSandbox && <FirstSteps />}
    </>
  );
}

function LatestBadges() {
  const { t, i18n } = useTranslation();
  const latest = useLoaded('latest', (signal) =>
    badge.listTokens({ limit: LATEST_COUNT, order: 'desc' }, { signal }),
  );
  const formatDate = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium' });
  return (
    <section className={styles.section} aria-labelledby="latest">
      <h2 id="latest">{t('landing.latest')}</h2>
      {latest.status === 'loading' && <LoadingBlock />}
      {latest.status === 'failed' && <LoadError error={latest.error} onRetry={latest.reload} />}
      {latest.status === 'loaded' && latest.value.data.length === 0 && (
        <EmptyState title={t('landing.none.title')}>
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

function WalletSearch() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [address, setAddress] = useState('');
  const [isInvalid, setIsInvalid] = useState(false);

  function open(event: FormEvent): void {
    event.preventDefault();
    const trimmed = address.trim();
    if (/^0x[0-9a-f]{40}$/i.test(trimmed)) navigate(`/wallet/${trimmed}`);
    else setIsInvalid(true);
  }

  return (
    <section className={styles.search} aria-labelledby="search">
      <div>
        <h2 id="search">{t('landing.search.title')}</h2>
        <p className={styles.muted}>{t('landing.search.text')}</p>
      </div>
      <form className={styles.searchForm} onSubmit={open} noValidate>
        <Field
          label={t('landing.search.label')}
          isCode
          placeholder="0x…"
          value={address}
          error={isInvalid ? t('landing.search.invalid') : undefined}
          onChange={(event) => {
            setAddress(event.target.value);
            setIsInvalid(false);
          }}
        />
        <Button type="submit" variant="primary">
          {t('landing.search.submit')}
        </Button>
      </form>
    </section>
  );
}
