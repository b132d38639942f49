import type { Contributor } from '@badge/sdk';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { isAddress } from '../../urls.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import type { BadgePartProps } from './badge-part.ts';
import { NewLinksDialog } from './new-links-dialog.tsx';

const LINK_PREFIX = 'claimLink:';

/** Who can claim the badge: the allowlist. */
export function ContributorList({ token, version, onChange }: BadgePartProps) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { tokenId } = token;
  const [removed, setRemoved] = useState<string | null>(null);
  const [linked, setLinked] = useState<string | null>(null);
  return (
    <>
      <Listing
        name={`contributors/${tokenId}/${version}`}
        title={t('badge.contributors')}
        list={(part, signal) => badge.listContributors({ tokenId, ...part }, { signal })}
        matches={({ contributor, address }, text) =>
          contributor.toLowerCase().includes(text) || (address ?? '').toLowerCase().includes(text)
        }
        csvPath={`/v1/tokens/${tokenId}/contributors`}
        empty={t('contributors.none')}
      >
        {(items) => (
          <Rows>
            {items.map((item) => (
              <ContributorRow
                key={item.contributor}
                item={item}
                actions={
                  may('issuer') &&
                  !item.hasClaimed &&
                  !item.contributor.startsWith(LINK_PREFIX) && (
                    <>
                      {!isAddress(item.contributor) && (
                        <Button
                          size="small"
                          aria-label={`${t('contributors.link')}: ${item.contributor}`}
                          onClick={() => setLinked(item.contributor)}
                        >
                          {t('contributors.link')}
                        </Button>
                      )}
                      <Button
                        size="small"
                        aria-label={`${t('contributors.remove')}: ${item.contributor}`}
                        onClick={() => setRemoved(item.contributor)}
                      >
                        {t('contributors.remove')}
                      </Button>
                    </>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </Listing>
      {removed !== null && (
        <ActionDialog
          title={t('contributors.dialog.title')}
          submitLabel={t('contributors.remove')}
          isDangerous
          onSubmit={async () => {
            const removal = await badge.removeContributors({ tokenId, contributors: [removed] });
            await removal.wait();
            onChange();
          }}
          onClose={() => setRemoved(null)}
        >
          <p>
            <bdi>{removed}</bdi>
          </p>
          <p>{t('contributors.dialog.text')}</p>
        </ActionDialog>
      )}
      {linked !== null && (
        <NewLinksDialog token={token} identifier={linked} onDone={onChange} onClose={() => setLinked(null)} />
      )}
    </>
  );
}

function ContributorRow({ item, actions }: { item: Contributor; actions: ReactNode }) {
  const { t } = useTranslation('console');
  const { contributor, address, hasClaimed } = item;
  const isOwnAddress = isAddress(contributor);
  const isLink = contributor.startsWith(LINK_PREFIX);
  return (
    <Row
      title={
        isOwnAddress ? (
          <Address value={contributor} hasCopyButton />
        ) : (
          <bdi>{isLink ? t('contributors.byLink') : contributor}</bdi>
        )
      }
      status={t(hasClaimed ? 'contributors.claimed' : 'contributors.waiting')}
      tone={hasClaimed ? 'good' : 'plain'}
      detail={!isOwnAddress && address !== null ? <Address value={address} hasCopyButton /> : undefined}
      actions={actions}
    />
  );
}
