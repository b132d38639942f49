import type { OwnerState, Token } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { FactList } from '../../design/fact-list.tsx';
import { findLocale } from '../../i18n/languages.ts';
import { useCommunityName } from '../../token/communities.ts';
import { toEmbedHtml, toReadmeLine } from './embed-code.ts';
import { type Certification, toLinkedInUrl } from './linked-in.ts';
import styles from './show-badge.module.css';

interface ShowBadgeProps {
  token: Token;
  /** Who has the badge: the address that the page is about. */
  owner: OwnerState;
}

/** What an owner does with a badge elsewhere: add it to LinkedIn, keep its credential, embed it. */
export function ShowBadge({ token, owner: { address, claimedAtTimestamp } }: ShowBadgeProps) {
  const { t } = useTranslation('show');
  const { tokenId, headline, communityId } = token;
  const { origin } = location;
  const certification: Certification = {
    name: headline,
    organizationName: useCommunityName(communityId),
    issuedTimestamp: claimedAtTimestamp,
    certId: `${tokenId}-${address}`,
    certUrl: `${origin}/token/${tokenId}?owner=${address}`,
  };
  const badge = { origin, tokenId, headline, owner: address };
  const credential = `/v1/tokens/${tokenId}/credentials/${address}`;
  return (
    <section className={styles.section} aria-labelledby="show">
      <h2 id="show">{t('title')}</h2>
      <div className={styles.parts}>
        <div className={styles.column}>
          <OnLinkedIn certification={certification} />
          <div className={styles.part}>
            <h3>{t('keep.title')}</h3>
            <p className={styles.muted}>{t('keep.text')}</p>
            <div className={styles.actions}>
              <ButtonLink
                size="small"
                isExternal
                href={`${credential}.json`}
                download={`badge-${tokenId}.json`}
              >
                {t('keep.file')}
              </ButtonLink>
              <ButtonLink
                size="small"
                isExternal
                href={`${credential}.png`}
                download={`badge-${tokenId}.png`}
              >
                {t('keep.picture')}
              </ButtonLink>
              {/* The page has another security policy, so the browser loads it. */}
              <ButtonLink
                variant="quiet"
                size="small"
                isExternal
                href={`/verify?url=${encodeURIComponent(certification.certUrl)}`}
              >
                {t('keep.check')}
              </ButtonLink>
            </div>
          </div>
        </div>
        <div className={styles.part}>
          <h3>{t('embed.title')}</h3>
          <p className={styles.muted}>{t('embed.text')}</p>
          <CodeBlock title={t('embed.html')} code={toEmbedHtml(badge)} />
          <img className={styles.shield} src={`/images/token/${tokenId}.svg`} alt="" height={20} />
          <CodeBlock title={t('embed.markdown')} code={toReadmeLine(badge)} />
        </div>
      </div>
    </section>
  );
}

/** The link to LinkedIn, and the values to enter there. */
function OnLinkedIn({ certification }: { certification: Certification }) {
  const { t, i18n } = useTranslation('show');
  const [isOpen, setIsOpen] = useState(false);
  const { name, organizationName, issuedTimestamp, certId, certUrl } = certification;
  // The month of the link, which is that of UTC.
  const month = new Intl.DateTimeFormat(findLocale(i18n.language), {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(issuedTimestamp);
  const values = [
    { label: t('linkedIn.name'), value: name },
    { label: t('linkedIn.organization'), value: organizationName },
    { label: t('linkedIn.date'), value: month },
    { label: t('linkedIn.id'), value: certId },
    { label: t('linkedIn.url'), value: certUrl },
  ];
  return (
    <div className={styles.part}>
      <h3>{t('linkedIn.title')}</h3>
      <div className={styles.actions}>
        <ButtonLink
          isExternal
          href={toLinkedInUrl(certification)}
          target="_blank"
          rel="noopener noreferrer"
          onClick={() => setIsOpen(true)}
        >
          {t('linkedIn.add')}
        </ButtonLink>
      </div>
      <details
        className={styles.values}
        open={isOpen}
        onToggle={(event) => setIsOpen(event.currentTarget.open)}
      >
        <summary>{t('linkedIn.values')}</summary>
        <p className={styles.muted}>{t('linkedIn.text')}</p>
        <FactList
          facts={values.map(({ label, value }) => ({
            label,
            value: (
              <span className={styles.value}>
                <bdi>{value}</bdi>
                <CopyButton text={value} />
              </span>
            ),
          }))}
        />
      </details>
    </div>
  );
}
