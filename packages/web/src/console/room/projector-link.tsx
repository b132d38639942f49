import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../../design/button.tsx';

interface ProjectorLinkProps {
  tokenId: number;
  claimLinkId: string;
  variant?: 'primary' | 'secondary';
  size?: 'small' | 'normal';
}

/**
 * Opens the projector in another tab. `opener` gives that tab a copy of what this one keeps: the key of the
 * console and the code of the room. Both tabs are pages of this service.
 */
export function ProjectorLink({
  tokenId,
  claimLinkId,
  variant = 'secondary',
  size = 'normal',
}: ProjectorLinkProps) {
  const { t } = useTranslation('console');
  return (
    <ButtonLink
      isExternal
      variant={variant}
      size={size}
      href={`/console/badges/${tokenId}/room/${claimLinkId}`}
      target="_blank"
      rel="opener"
    >
      {t('links.project')}
    </ButtonLink>
  );
}
