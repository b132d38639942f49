import { useTranslation } from 'react-i18next';
import { badge } from '../../api.ts';
import { SelectField } from '../../design/select-field.tsx';
import { useCommunityName } from '../../token/communities.ts';
import { type Loaded, useLoaded } from '../../use-loaded.ts';
import styles from './wallet-page.module.css';

/**
 * How many tokens of a wallet the filter reads to find the communities. No API call lists the communities of
 * a wallet.
 */
const NEWEST_COUNT = 100;

/** Reads the communities of the newest tokens of a wallet. */
export function useWalletCommunities(address: string): Loaded<readonly string[]> {
  return useLoaded(`wallet/${address}/communities`, async (signal) => {
    const { data } = await badge.listWalletTokens({ address, limit: NEWEST_COUNT }, { signal });
    const shown = data.filter(({ isHiddenByOwner }) => !isHiddenByOwner);
    return [...new Set(shown.map((token) => token.communityId))];
  });
}

interface CommunityFilterProps {
  communityIds: readonly string[];
  /** The chosen community; `""` for all. */
  communityId: string;
  onChange: (communityId: string) => void;
}

/** A filter by community. It is hidden if there are fewer than two communities, unless one is chosen. */
export function CommunityFilter({ communityIds, communityId, onChange }: CommunityFilterProps) {
  const { t } = useTranslation();
  const shownIds = new Set(communityIds);
  if (communityId !== '') shownIds.add(communityId);
  if (shownIds.size < 2 && communityId === '') return null;
  return (
    <div className={styles.filter}>
      <SelectField
        label={t('wallet.community')}
        value={communityId}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{t('wallet.allCommunities')}</option>
        {[...shownIds].map((id) => (
          <CommunityOption key={id} communityId={id} />
        ))}
      </SelectField>
    </div>
  );
}

function CommunityOption({ communityId }: { communityId: string }) {
  const name = useCommunityName(communityId);
  return <option value={communityId}>{name}</option>;
}
