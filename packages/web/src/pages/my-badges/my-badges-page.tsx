import { useTranslation } from 'react-i18next';
import { LoadingBlock } from '../../design/spinner.tsx';
import { usePageTitle } from '../../page-title.ts';
import { useSession } from '../../sign-in/person-session.ts';
import { OwnBadges } from './own-badges.tsx';
import { SignIn } from './sign-in.tsx';

/** `/my-badges`: all badges of who has signed in, over all communities, and what they decide about them. */
export default function MyBadgesPage() {
  const { t } = useTranslation('myBadges');
  const session = useSession();
  usePageTitle(t('title'));
  if (session === undefined) return <LoadingBlock />;
  return session === null ? <SignIn /> : <OwnBadges key={session.key} session={session} />;
}
