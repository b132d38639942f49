import { useSyncExternalStore } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { ButtonLink } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import styles from './first-steps.module.css';

// The first commands of step 2 of docs/guides/first-badge.md, with the address of this service. The visitor enters the key,
// because the file that contains it is not always in the same directory.
const PREPARE = `export BADGE_URL=${location.origin}
export BADGE_API_KEY='badge_sandbox_…'
mkdir ../first-badge
cd ../first-badge
npm init -y
npm install ${location.origin}/sdk.tgz viem`;

const CREATE = `import { createBadgeClient } from '@badge/sdk';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const badge = createBadgeClient({ url: process.env.BADGE_URL, apiKey: process.env.BADGE_API_KEY });

const operation = await badge.createToken({
  signer: privateKeyToAccount(generatePrivateKey()),
  communityId: 'demo',
  headline: 'My first badge',
  nftTypeId: 'defaultOrangeRed',
  totalClaimCount: 100,
});
const { tokenId } = await operation.wait();
const { items } = await badge.createClaimLinks({ tokenId, count: 1 });
console.log(items[0].url);`;

/** How a developer creates the first badge on a service of their own. Only for the sandbox. */
export function FirstSteps() {
  const { t } = useTranslation();
  return (
    <section id="first-steps" className={styles.steps} aria-labelledby="first-steps-title">
      <div className={styles.intro}>
        <h2 id="first-steps-title">{t('landing.steps.title')}</h2>
        <p>{t('landing.steps.text')}</p>
      </div>
      <ol className={`plain-list ${styles.list}`}>
        <li>
          <div className={styles.text}>
            <h3>{t('landing.steps.prepare')}</h3>
            <p>
              <Trans i18nKey="landing.steps.prepareText" components={{ code: <code dir="ltr" /> }} />
            </p>
          </div>
          <FoldedCode summary={t('landing.steps.showCommands')} title="sh" code={PREPARE} />
        </li>
        <li>
          <div className={styles.text}>
            <h3>{t('landing.steps.create')}</h3>
            <p>
              <Trans i18nKey="landing.steps.createText" components={{ code: <code dir="ltr" /> }} />
            </p>
          </div>
          <FoldedCode summary={t('landing.steps.showScript')} title="create.mjs" code={CREATE} />
        </li>
        <li>
          <div className={styles.text}>
            <h3>{t('landing.steps.claim')}</h3>
            <p>{t('landing.steps.claimText')}</p>
          </div>
          <div className={styles.links}>
            <ButtonLink href="/docs" hrefLang="en" isExternal>
              {t('landing.steps.tryCalls')}
            </ButtonLink>
            <ButtonLink variant="quiet" href="/docs/errors" hrefLang="en" isExternal>
              {t('landing.steps.errors')}
            </ButtonLink>
          </div>
        </li>
      </ol>
    </section>
  );
}

const widePage = matchMedia('(min-width: 40rem)');

/** Code that is folded on a phone, where it would make the page long, and where nobody can run it. */
function FoldedCode({ summary, title, code }: { summary: string; title: string; code: string }) {
  const isWide = useSyncExternalStore(listenToWidth, () => widePage.matches);
  if (isWide) return <CodeBlock title={title} code={code} />;
  return (
    <details className={styles.folded}>
      <summary>{summary}</summary>
      <CodeBlock title={title} code={code} />
    </details>
  );
}

function listenToWidth(listener: () => void): () => void {
  widePage.addEventListener('change', listener);
  return () => widePage.removeEventListener('change', listener);
}
