import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import { LoadingBlock } from '../../design/spinner.tsx';
import { usePageTitle } from '../../page-title.ts';
import { ConsoleNotFound } from '../console-not-found.tsx';
import { useSession } from '../session/session.ts';
import { ApiKeysPart } from './api-keys-part.tsx';
import { AuditLogPart } from './audit-log-part.tsx';
import { CommunitiesPart } from './communities-part.tsx';
import { MembersPart } from './members-part.tsx';
import { ProfilePart } from './profile-part.tsx';
import styles from './settings-page.module.css';
import { WebhooksPart } from './webhooks-part.tsx';

// Few people open it, and it has code to read files.
const TransferPart = lazy(() => import('../transfers/transfer-part.tsx'));

const PARTS = {
  profile: ProfilePart,
  members: MembersPart,
  keys: ApiKeysPart,
  webhooks: WebhooksPart,
  transfers: TransferPart,
  log: AuditLogPart,
  communities: CommunitiesPart,
};
type Part = keyof typeof PARTS;
/** Only owners may read these. */
const PARTS_OF_OWNERS: readonly Part[] = ['keys', 'webhooks', 'transfers'];

/** The settings of the community. Only the parts that the role may read are shown. */
export default function SettingsPage() {
  const { t } = useTranslation('console');
  const { communityId, may, isOperator } = useSession();
  const shown = (Object.keys(PARTS) as Part[]).filter((name) => {
    if (name === 'communities') return isOperator;
    if (communityId === '') return false;
    return !PARTS_OF_OWNERS.includes(name) || may('owner');
  });
  const { part = shown[0] } = useParams();
  const name = shown.find((one) => one === part);
  usePageTitle(t('frame.settings'));
  if (name === undefined) return <ConsoleNotFound />;
  const Shown = PARTS[name];
  return (
    <div className={styles.page}>
      <div className={styles.heading}>
        <h1>{t('frame.settings')}</h1>
        {communityId !== '' && <OwnRole />}
      </div>
      <nav aria-label={t('frame.settings')}>
        <ul className={`plain-list ${styles.parts}`}>
          {shown.map((one) => (
            <li key={one}>
              <Link
                href={one === 'profile' ? '/settings' : `/settings/${one}`}
                className={styles.part}
                aria-current={one === name ? 'page' : undefined}
              >
                {t(`settings.${one}`)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Suspense fallback={<LoadingBlock />}>
        <Shown />
      </Suspense>
    </div>
  );
}

/** How this person is signed in, and what they may do. */
function OwnRole() {
  const { t } = useTranslation('console');
  const { kind, role, may } = useSession();
  return (
    <p className={styles.muted}>
      {t(`settings.signedIn.${kind}`)} {kind !== 'operator' && t(`settings.roleTexts.${role}`)}{' '}
      {!may('owner') && t('settings.askOwner')}
    </p>
  );
}
