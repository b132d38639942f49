import { RETURN_PATH_PATTERN } from '@badge/protocol/return-path';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { usePageTitle } from '../../page-title.ts';
import { findChallenge } from '../../sign-in/challenge.ts';
import { EmailSignIn } from '../../sign-in/email-sign-in.tsx';
import { readSignInCode } from '../../sign-in/sign-in-code.ts';
import styles from './sign-in-page.module.css';

/** The page to which people go who have not asked for a mail on another one. */
const DEFAULT_PAGE = '/my-badges';

/**
 * `/sign-in`, with the code of a mail in the fragment. Opening it sends nothing, because programs that check
 * mails open links too. Only the tab that has asked for the mail signs in, and only when a person says so.
 */
export default function SignInPage() {
  const { t } = useTranslation('myBadges');
  const [, navigate] = useLocation();
  // What the page was opened with. The challenge is gone once somebody has signed in.
  const [hasChallenge] = useState(() => findChallenge() !== null);
  const [code] = useState(() => readSignInCode(location.hash.replace(/^#/, '')));
  usePageTitle(t('signInPage.title'));
  if (code !== null && !hasChallenge) return <CodeToType code={code} />;
  return (
    <div className={styles.page}>
      <h1>{t('signInPage.title')}</h1>
      <Card className={styles.card}>
        <EmailSignIn
          isMain
          hint={t('signInPage.hint')}
          {...(code === null ? {} : { code })}
          onSignedIn={(_, page) =>
            navigate(page.startsWith('/sign-in') ? DEFAULT_PAGE : page, { replace: true })
          }
        />
      </Card>
    </div>
  );
}

/** The code, for the page or the device on which the person has asked for it. */
function CodeToType({ code }: { code: string }) {
  const { t } = useTranslation('myBadges');
  return (
    <div className={styles.page}>
      <h1>{t('signInPage.code')}</h1>
      <Card className={styles.card}>
        <p className={styles.code} dir="ltr">
          {code}
        </p>
        <p>
          <CopyButton text={code} label={t('signInPage.copy')} />
        </p>
        <p>{t('signInPage.type')}</p>
        <p className={styles.muted}>{t('signInPage.secret')}</p>
      </Card>
      <div>
        <ButtonLink href={findReturnPath()} isExternal>
          {t('signInPage.back')}
        </ButtonLink>
      </div>
    </div>
  );
}

/** The page that the mail names, if it is one of this site. */
function findReturnPath(): string {
  const path = new URLSearchParams(location.search).get('to') ?? '';
  return new RegExp(RETURN_PATH_PATTERN).test(path) ? path : DEFAULT_PAGE;
}
