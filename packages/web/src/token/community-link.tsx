import { Link } from 'wouter';
import { useCommunity, useCommunityName } from './communities.ts';
import styles from './community-link.module.css';
import { CommunityLogo } from './community-logo.tsx';

/** The logo and the name of a community, linked to its page. */
export function CommunityLink({ communityId }: { communityId: string }) {
  const loaded = useCommunity(communityId);
  const name = useCommunityName(communityId);
  const logoUrl = loaded.status === 'loaded' ? loaded.value.logoUrl : null;
  return (
    <Link href={`/community/${encodeURIComponent(communityId)}`} className={styles.link}>
      <CommunityLogo communityId={communityId} name={name} logoUrl={logoUrl} />
      <bdi>{name}</bdi>
    </Link>
  );
}
