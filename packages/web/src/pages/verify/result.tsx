import type { CredentialContent, Verification } from '@badge/credentials';
import type { TFunction } from 'i18next';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { AddressGroups } from '../../design/address-groups.tsx';
import { Button, ButtonLink } from '../../design/button.tsx';
import { type Fact, FactList } from '../../design/fact-list.tsx';
import { CheckIcon, InfoIcon, WarningIcon } from '../../design/icons.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { useFormats } from '../../formats.ts';
import type { CheckedFile, Trust } from './check-credential.ts';
import { cutText } from './cut-text.ts';
import { IdentityPart } from './identity-part.tsx';
import { IssuerPart } from './issuer-part.tsx';
import { PicturePart } from './picture-part.tsx';
import styles from './verify-page.module.css';

// A list in a credential can have any length.
const MAX_SHOWN_RESULTS = 50;

interface ResultProps {
  checked: CheckedFile;
  onTrust: (added: Partial<Trust>) => void;
  /** Shows another credential of a presentation. */
  onChoose: (index: number) => void;
}

/** Says in words what a file is. Shows what it says only if its issuer vouches for it. */
export function Result({ checked, onTrust, onChoose }: ResultProps) {
  const { verification } = checked;
  const { content, presentation } = verification;
  return (
    <>
      <VerdictHeading verification={verification} />
      <ReplacedPart checked={checked} />
      {presentation !== null && <PresentationPart presentation={presentation} onChoose={onChoose} />}
      {content !== null && (
        <div className={styles.parts}>
          <div className={styles.column}>
            <ContentPart content={content} />
            <WhoPart content={content} />
          </div>
          <div className={styles.column}>
            <IssuerPart key={content.issuer.did} checked={checked} content={content} onTrust={onTrust} />
            <PicturePart checked={checked} content={content} />
          </div>
        </div>
      )}
    </>
  );
}

const TONES = {
  valid: 'success',
  unconfirmed: 'warning',
  revoked: 'error',
  expired: 'warning',
  changed: 'error',
  statusUnknown: 'warning',
  notACredential: 'error',
  unsupported: 'info',
} as const;

const ICONS = { success: CheckIcon, warning: WarningIcon, error: WarningIcon, info: InfoIcon };

function VerdictHeading({ verification }: { verification: Verification }) {
  const { t } = useTranslation('verify');
  const headingRef = useRef<HTMLHeadingElement>(null);
  const { verdict, reason, content } = verification;
  const isUnconfirmed = verdict === 'valid' && content?.issuer.trusted === null;
  const shown = isUnconfirmed ? 'unconfirmed' : verdict;
  const Icon = ICONS[TONES[shown]];
  // biome-ignore lint/correctness/useExhaustiveDependencies: each result moves the focus and the page to it.
  useEffect(() => headingRef.current?.focus(), [verification]);
  return (
    <section className={joinClasses(styles.verdict, styles[TONES[shown]])}>
      <span className={styles.mark}>
        <Icon />
      </span>
      <div>
        <h2 ref={headingRef} tabIndex={-1}>
          {t(`verdict.${shown}`)}
        </h2>
        <p>{reason.kind === null ? t(`reason.${reason.code}`) : describeKind(reason, t)}</p>
      </div>
    </section>
  );
}

/** If the badge was revoked because another one has replaced it: which one. */
function ReplacedPart({ checked: { verification, origin, answer } }: { checked: CheckedFile }) {
  const { t } = useTranslation('verify');
  if (verification.verdict !== 'revoked' || origin === null || answer?.status !== 'listed') return null;
  const { replacedByTokenId } = answer;
  if (replacedByTokenId === null) return null;
  return (
    <section className={styles.ask}>
      <p>{t('replaced.text')}</p>
      <ButtonLink size="small" isExternal href={`${origin.origin}/token/${replacedByTokenId}`}>
        {t('replaced.show')}
      </ButtonLink>
    </section>
  );
}

// Only these two reasons have a name.
function describeKind({ code, kind }: Verification['reason'], t: TFunction<'verify'>): string {
  return t(code === 'proofUnsupported' ? 'reason.proofUnsupported_named' : 'reason.issuerUnsupported_named', {
    kind,
  });
}

/** Says that the credential was in a presentation, and lets the person choose another one of it. */
function PresentationPart({
  presentation: { count, index },
  onChoose,
}: {
  presentation: NonNullable<Verification['presentation']>;
  onChoose: (index: number) => void;
}) {
  const { t } = useTranslation('verify');
  if (count === 1) return <p>{t('presentation.one')}</p>;
  return (
    <section className={styles.ask} aria-label={t('presentation.label')}>
      <p>{t('presentation.several', { number: index + 1, total: count })}</p>
      <div className={styles.choices}>
        {Array.from({ length: count }, (_, other) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing but their number.
          <Button key={other} size="small" aria-pressed={other === index} onClick={() => onChoose(other)}>
            {t('presentation.choose', { number: other + 1 })}
          </Button>
        ))}
      </div>
    </section>
  );
}

function ContentPart({ content }: { content: CredentialContent }) {
  const { t } = useTranslation('verify');
  const { date, end } = useFormats();
  const { name, description, narrative, criteriaUrl, awardedTimestamp, validUntilTimestamp, id, results } =
    content;
  const facts: Fact[] = [
    ...textFact(t('what.description'), description === name ? '' : description),
    ...textFact(t('what.narrative'), narrative),
    ...textFact(t('what.criteria'), criteriaUrl),
    ...textFact(t('what.awarded'), awardedTimestamp === null ? null : date(awardedTimestamp)),
    ...textFact(t('what.until'), validUntilTimestamp === null ? null : end(validUntilTimestamp)),
    ...textFact(t('what.id'), id),
  ];
  return (
    <section className={styles.part}>
      <h3>{t('what.title')}</h3>
      <p className={styles.name}>
        <bdi>{cutText(name)}</bdi>
      </p>
      <FactList facts={facts} />
      {results.length > 0 && (
        <>
          <h4>{t('what.results')}</h4>
          <dl className={styles.results}>
            {results.slice(0, MAX_SHOWN_RESULTS).map((result, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed, and names can be equal.
              <div key={index}>
                <dt>
                  <bdi>{cutText(result.name)}</bdi>
                </dt>
                <dd>
                  <bdi>{cutText(result.value)}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          {results.length > MAX_SHOWN_RESULTS && (
            <p className={styles.muted}>{t('what.more', { count: results.length - MAX_SHOWN_RESULTS })}</p>
          )}
        </>
      )}
    </section>
  );
}

function textFact(label: string, text: string | null): Fact[] {
  if (text === null || text === '') return [];
  return [{ label, value: <bdi className={styles.text}>{cutText(text)}</bdi> }];
}

function WhoPart({ content: { wallet, subjectId, identities } }: { content: CredentialContent }) {
  const { t } = useTranslation('verify');
  return (
    <section className={styles.part}>
      <h3>{t('who.title')}</h3>
      {wallet !== null && (
        <>
          <AddressGroups address={wallet.address} />
          <p>{t('who.chain', { chain: wallet.chainId })}</p>
          <p className={styles.muted}>{t(identities.length === 0 ? 'who.text' : 'who.textNamed')}</p>
        </>
      )}
      {wallet === null && (
        <p className={styles.text}>
          <bdi>{cutText(subjectId)}</bdi>
        </p>
      )}
      <IdentityPart identities={identities} />
    </section>
  );
}
