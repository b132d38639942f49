import type { OwnerState, Token } from '@badge/sdk';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { badge } from '../../api.ts';
import { shortenAddress } from '../../design/address.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { FactList } from '../../design/fact-list.tsx';
import { findLocale } from '../../i18n/languages.ts';
import { useCommunityName } from '../../token/communities.ts';
import { useLoaded } from '../../use-loaded.ts';
import { toEmbedHtml, toReadmeLine } from './embed-code.ts';
import { toLinkedInUrl } from './linked-in.ts';
import styles from './show-badge.module.css';

interface ShowBadgeProps {
  token: Token;
  /** Who has the badge: the address that the page is about. */
  owner: OwnerState;
  /** Whether it is an address of the visitor. */
  isOwn: boolean;
}

/**
 * What an owner does with a badge elsewhere: add it to LinkedIn, keep its credential, embed it. Anybody can
 * open the link that an owner shares, so others are first told whose badge it is.
 */
export function ShowBadge({ token, owner, isOwn }: ShowBadgeProps) {
  const { t } = useTranslation('show');
  const { address, claimedAtTimestamp, validUntilTimestamp } = owner;
  const { tokenId, headline } = token;
  const { origin } = location;
  // Of another address, another person may be the owner.
  const [mineAddress, setMineAddress] = useState<string | null>(null);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const certUrl = `${origin}/token/${tokenId}?owner=${address}`;
  const embedded = { origin, tokenId, headline, owner: address };
  const credential = `/v1/tokens/${tokenId}/credentials/${address}`;
  // The page has another security policy, so the browser loads it.
  const check = (
    <ButtonLink variant="quiet" size="small" isExternal href={`/verify?url=${encodeURIComponent(certUrl)}`}>
      {t('keep.check')}
    </ButtonLink>
  );
  return (
    <section className={styles.section} aria-labelledby="show">
      <h2 id="show" ref={headingRef} tabIndex={-1}>
        {t('title')}
      </h2>
      <div className={styles.parts}>
        {isOwn || mineAddress === address ? (
          <div className={styles.column}>
            <OnLinkedIn
              token={token}
              address={address}
              certUrl={certUrl}
              issuedTimestamp={claimedAtTimestamp}
              expiryTimestamp={validUntilTimestamp}
            />
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
                {check}
              </div>
            </div>
          </div>
        ) : (
          <div className={styles.part}>
            <h3>{t('whose.title')}</h3>
            <p className={styles.muted}>{t('whose.text', { address: shortenAddress(address) })}</p>
            <div className={styles.actions}>
              <Button
                size="small"
                onClick={() => {
                  setMineAddress(address);
                  // The button goes away.
                  headingRef.current?.focus();
                }}
              >
                {t('whose.mine')}
              </Button>
              {check}
            </div>
          </div>
        )}
        <div className={styles.part}>
          <h3>{t('embed.title')}</h3>
          <p className={styles.muted}>{t('embed.text')}</p>
          <CodeBlock title={t('embed.html')} code={toEmbedHtml(embedded)} />
          <img className={styles.shield} src={`/images/token/${tokenId}.svg`} alt="" height={20} />
          <CodeBlock title={t('embed.markdown')} code={toReadmeLine(embedded)} />
        </div>
      </div>
    </section>
  );
}

/** The link to LinkedIn, and the values to enter there. */
function OnLinkedIn({
  token: { tokenId, headline, communityId },
  address,
  certUrl,
  issuedTimestamp,
  expiryTimestamp,
}: {
  token: Token;
  address: string;
  certUrl: string;
  issuedTimestamp: number;
  expiryTimestamp: number | null;
}) {
  const { t, i18n } = useTranslation('show');
  const [isOpen, setIsOpen] = useState(false);
  // Without its id, which a service without a seed does not have, the certification is complete enough for
  // LinkedIn.
  const credential = useLoaded(`credential/${tokenId}/${address}`, (signal) =>
    badge.getCredential({ tokenId, address }, { signal }),
  );
  const certId = credential.status === 'loaded' ? (credential.value.id ?? null) : null;
  const organizationName = useCommunityName(communityId);
  const certification = {
    name: headline,
    organizationName,
    issuedTimestamp,
    expiryTimestamp,
    certId,
    certUrl,
  };
  // The months of the link, which are those of UTC.
  const month = new Intl.DateTimeFormat(findLocale(i18n.language), {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const values = [
    { label: t('linkedIn.name'), value: headline },
    { label: t('linkedIn.organization'), value: organizationName },
    { label: t('linkedIn.date'), value: month.format(issuedTimestamp) },
    ...(expiryTimestamp === null
      ? []
      : [{ label: t('linkedIn.expiry'), value: month.format(expiryTimestamp) }]),
    ...(certId === null ? [] : [{ label: t('linkedIn.id'), value: certId }]),
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
