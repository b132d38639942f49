import type { BadgeClient, OwnToken } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { LoadError } from '../../load-error.tsx';
import { CommunityLink } from '../../token/community-link.tsx';
import { useLoaded } from '../../use-loaded.ts';
import styles from './my-badges.module.css';
import { ProblemNotice } from './problem-notice.tsx';

const MAX_COMMUNITIES = 1_000;

interface CommunitiesPartProps {
  client: BadgeClient;
  /** The badges that the page shows. */
  tokens: readonly OwnToken[];
}

/** Refuses the badges of a community, and takes it back: of those who gave these badges, or are refused. */
export function CommunitiesPart({ client, tokens }: CommunitiesPartProps) {
  const { t } = useTranslation('myBadges');
  const refused = useLoaded('refused', async (signal) => {
    const { data } = await client.listRefusedCommunities({ limit: MAX_COMMUNITIES }, { signal });
    return data.map(({ communityId }) => communityId);
  });
  const refusedIds = refused.status === 'loaded' ? refused.value : [];
  const communityIds = [...new Set([...tokens.map(({ communityId }) => communityId), ...refusedIds])];
  if (communityIds.length === 0) return null;
  return (
    <section className={styles.part} aria-labelledby="communities">
      <h2 id="communities">{t('communities.title')}</h2>
      <p className={styles.muted}>{t('communities.text')}</p>
      {refused.status === 'failed' && <LoadError error={refused.error} onRetry={refused.reload} />}
      {refused.status === 'loaded' && (
        <ul className={`plain-list ${styles.rows}`}>
          {communityIds.map((communityId) => (
            <CommunityRow
              key={communityId}
              client={client}
              communityId={communityId}
              isRefused={refusedIds.includes(communityId)}
              onChange={refused.reload}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface CommunityRowProps {
  client: BadgeClient;
  communityId: string;
  isRefused: boolean;
  onChange: () => void;
}

function CommunityRow({ client, communityId, isRefused, onChange }: CommunityRowProps) {
  const { t } = useTranslation('myBadges');
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function toggle(): Promise<void> {
    setIsBusy(true);
    setError(null);
    try {
      await (isRefused ? client.acceptCommunity({ communityId }) : client.refuseCommunity({ communityId }));
      onChange();
    } catch (caught) {
      setError(caught);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <li className={styles.row}>
      <div>
        <CommunityLink communityId={communityId} />
        <p className={styles.muted} role="status">
          {isRefused && t('communities.refused')}
        </p>
      </div>
      <Button size="small" isBusy={isBusy} onClick={() => void toggle()}>
        {t(isRefused ? 'communities.accept' : 'communities.refuse')}
      </Button>
      <ProblemNotice error={error} />
    </li>
  );
}
