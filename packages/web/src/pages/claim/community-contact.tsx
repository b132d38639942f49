import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { TokenLinks } from '../../token/token-links.tsx';
import { isWebLink } from '../../urls.ts';

/** A step shows only some links, because the page shows all links of the token below. */
const MAX_LINKS = 3;

/**
 * How a person reaches the community: with the links of the token, or else through the person who sent the
 * claim link.
 */
export function CommunityContact({ token }: { token: Token | null }) {
  const { t } = useTranslation();
  const links = token?.links.filter(isWebLink).slice(0, MAX_LINKS) ?? [];
  if (links.length === 0) return <p>{t('claim.contact.none')}</p>;
  return (
    <>
      <p>{t('claim.contact.links')}</p>
      <TokenLinks links={links} label={t('claim.contact.label')} />
    </>
  );
}
