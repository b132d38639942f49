import type { Contributor, OwnerState } from '@badge/sdk';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { NamedAddress } from '../../token/named-address.tsx';
import { isAddress } from '../../urls.ts';
import { useLoaded, useReloadOn } from '../../use-loaded.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { Listing, Row, Rows } from '../listing.tsx';
import { useSession } from '../session/session.ts';
import type { BadgePartProps } from './badge-part.ts';
import { Details } from './details.tsx';
import { findLost } from './lost-owners.ts';
import { matchesAddress } from './match-address.ts';
import { NewLinksDialog } from './new-links-dialog.tsx';
import { OwnerDialog, ReinstatedNotice } from './owner-dialog.tsx';
import { useNames } from './use-names.ts';

const LINK_PREFIX = 'claimLink:';

/** Who can claim the badge: the allowlist. */
export function ContributorList({ token, version, eventCount, onChange }: BadgePartProps) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const { tokenId } = token;
  const [removed, setRemoved] = useState<string | null>(null);
  const nameOf = useNames(token);
  const [reinstating, setReinstating] = useState<{ address: string; person: string[] } | null>(null);
  /** The address that got the badge back last. */
  const [reinstated, setReinstated] = useState<string | null>(null);
  const [linked, setLinked] = useState<string | null>(null);
  return (
    <>
      {reinstated !== null && <ReinstatedNotice address={reinstated} />}
      <Listing
        name={`contributors/${tokenId}/${version}`}
        refreshCount={eventCount}
        title={t('badge.contributors')}
        list={(part, signal) => badge.listContributors({ tokenId, ...part }, { signal })}
        matches={({ contributor, address }, text) =>
          [contributor, nameOf(contributor)].some((known) => known.toLowerCase().includes(text)) ||
          matchesAddress(address ?? contributor, text)
        }
        csvPath={`/v1/tokens/${tokenId}/contributors`}
        empty={t('contributors.none')}
      >
        {(items) => (
          <ContributorRows
            token={token}
            version={version}
            eventCount={eventCount}
            nameOf={nameOf}
            items={items}
            onReinstate={setReinstating}
            renderActions={(item) =>
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
            <Details of={[nameOf(removed), removed].filter((text) => text !== '')} />
          </p>
          <p>{t('contributors.dialog.text')}</p>
        </ActionDialog>
      )}
      {reinstating !== null && (
        <OwnerDialog
          tokenId={tokenId}
          change={{ kind: 'reinstate', ...reinstating }}
          onDone={() => {
            setReinstated(reinstating.address);
            onChange();
          }}
          onClose={() => setReinstating(null)}
        />
      )}
      {linked !== null && (
        <NewLinksDialog token={token} identifier={linked} onDone={onChange} onClose={() => setLinked(null)} />
      )}
    </>
  );
}

interface ContributorRowsProps {
  token: BadgePartProps['token'];
  version: number;
  eventCount: number;
  nameOf: (recipient: string) => string;
  items: readonly Contributor[];
  onReinstate: (owner: { address: string; person: string[] }) => void;
  renderActions: (item: Contributor) => ReactNode;
}

/**
 * The list says that somebody has claimed also after the badge was revoked or moved, so that is asked too.
 */
function ContributorRows(props: ContributorRowsProps) {
  const { token, version, eventCount, nameOf, items, onReinstate, renderActions } = props;
  const { tokenId, createdByAddress } = token;
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const claimed = items.flatMap(({ hasClaimed, address }) =>
    hasClaimed && address !== null ? [address] : [],
  );
  const found = useLoaded(`lost/${tokenId}/${version}/${claimed.join()}`, (signal) =>
    findLost(badge, tokenId, claimed, signal),
  );
  useReloadOn(eventCount, found.reload);
  const lost = found.status === 'loaded' ? found.value.owners : [];
  const describe = ({ contributor }: Contributor) =>
    [nameOf(contributor), isAddress(contributor) ? '' : contributor].filter((text) => text !== '');
  return (
    <Rows>
      {items.map((item) => {
        const owner = lost.find(({ address }) => address === item.address);
        return (
          <ContributorRow
            key={item.contributor}
            item={item}
            name={nameOf(item.contributor)}
            isCreator={item.contributor.toLowerCase() === createdByAddress.toLowerCase()}
            lostBy={owner?.status ?? null}
            actions={
              owner?.status === 'revoked' && may('editor') ? (
                <Button
                  size="small"
                  aria-label={`${t('owners.reinstate')}: ${item.contributor}`}
                  onClick={() => onReinstate({ address: owner.address, person: describe(item) })}
                >
                  {t('owners.reinstate')}
                </Button>
              ) : (
                renderActions(item)
              )
            }
          />
        );
      })}
    </Rows>
  );
}

interface ContributorRowProps {
  item: Contributor;
  /** Empty if it is not known. */
  name: string;
  /** Whether this is who signed the badge: a list cannot be empty, so a new one has this entry. */
  isCreator: boolean;
  /** How somebody who has claimed has lost the badge; null if nobody has. */
  lostBy: OwnerState['status'] | null;
  actions: ReactNode;
}

function ContributorRow({ item, name, isCreator, lostBy, actions }: ContributorRowProps) {
  const { t } = useTranslation('console');
  const { contributor, address, hasClaimed } = item;
  const isOwnAddress = isAddress(contributor);
  const shownAddress = isCreator ? contributor : isOwnAddress ? null : address;
  const isLink = contributor.startsWith(LINK_PREFIX);
  return (
    <Row
      title={
        isCreator ? (
          t('contributors.creator')
        ) : isOwnAddress ? (
          <NamedAddress value={contributor} hasCopyButton />
        ) : (
          <bdi>{isLink ? t('contributors.byLink') : contributor}</bdi>
        )
      }
      status={describeStatus()}
      tone={lostBy !== null ? 'bad' : hasClaimed ? 'good' : 'plain'}
      detail={
        (name !== '' || shownAddress !== null) && (
          <>
            {name !== '' && <bdi>{name}</bdi>}
            {name !== '' && shownAddress !== null && ' · '}
            {shownAddress !== null && <Address value={shownAddress} hasCopyButton />}
          </>
        )
      }
      actions={actions}
    />
  );

  /** Nobody waits for a claim of who signed. */
  function describeStatus(): string | undefined {
    if (lostBy !== null) return t(`owners.status.${lostBy}`);
    if (hasClaimed) return t('contributors.claimed');
    return isCreator ? undefined : t('contributors.waiting');
  }
}
