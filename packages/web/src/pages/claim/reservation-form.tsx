import { BadgeApiError } from '@badge/sdk';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { badge } from '../../api.ts';
import { Button } from '../../design/button.tsx';
import fieldStyles from '../../design/field.module.css';
import { Notice } from '../../design/notice.tsx';
import { chooseLanguage } from '../../i18n/languages.ts';
import styles from './claim-panel.module.css';

/** What these people mistype. The service checks the rest. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;

type Problem = 'email' | 'full' | 'ended' | 'paused' | 'mail' | 'busy' | 'offline' | 'failed';

const PROBLEMS: Readonly<Record<string, Problem>> = {
  InvalidRequest: 'email',
  ClaimCodeUsed: 'full',
  NoTokensLeft: 'full',
  ClaimCodeInvalid: 'ended',
  TokenClaimExpired: 'ended',
  ClaimCodePaused: 'paused',
  ClaimCodeNotStarted: 'paused',
  TokenNotYetClaimable: 'paused',
  MailUnavailable: 'mail',
  RateLimited: 'busy',
};

interface ReservationFormProps {
  tokenId: number;
  claimCode: string;
  /**
   * What the page says above the field: how to keep a place of a room or with a link, or how to get a lost
   * mail again.
   */
  text: 'text' | 'textOfLink' | 'textOfLost';
}

/** Whether the service can send mails, as the HTML of the page says. */
export const hasMail = () => document.querySelector('meta[name=badge-has-kept-badges]') !== null;

/**
 * Keeps a place for a person without a wallet. The service sends a mail, whose link confirms it. What the
 * page says then is the same for every address, also for one that has a place already: it gets its link
 * again.
 */
export function ReservationForm({ tokenId, claimCode, text }: ReservationFormProps) {
  const { t, i18n } = useTranslation();
  const [email, setEmail] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  /** The address to which a mail was sent, how often, and whether the service only keeps its mails. */
  const [sent, setSent] = useState<{ email: string; count: number; isKept: boolean } | null>(null);
  const fieldRef = useRef<HTMLInputElement>(null);
  const sentRef = useRef<HTMLDivElement>(null);
  const id = useId();

  async function send(address: string): Promise<void> {
    if (isBusy) return;
    setIsBusy(true);
    setProblem(null);
    try {
      const language = chooseLanguage([i18n.language]);
      await badge.createReservation({ tokenId, email: address, claimCode, language });
      // Only a person who has got this far asks for it.
      const mail = await badge.getEnvironment().then(
        (environment) => environment.mail,
        () => null,
      );
      setSent((last) => ({ email: address, count: (last?.count ?? 0) + 1, isKept: mail === 'kept' }));
      requestAnimationFrame(() => sentRef.current?.focus());
    } catch (error) {
      const name = error instanceof BadgeApiError ? error.name : null;
      setProblem(name === null ? 'offline' : (PROBLEMS[name] ?? 'failed'));
      if (sent === null) fieldRef.current?.focus();
    } finally {
      setIsBusy(false);
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const address = email.trim();
    if (EMAIL.test(address)) void send(address);
    else {
      setProblem('email');
      fieldRef.current?.focus();
    }
  }

  if (sent !== null) {
    return (
      <div ref={sentRef} tabIndex={-1} className={`${styles.stack} ${styles.answer}`}>
        <Notice tone="success" isLive title={t('claim.place.sent.title')}>
          <div className={styles.stack}>
            <p>
              {t(text === 'textOfLost' ? 'claim.place.sent.textOfLost' : 'claim.place.sent.text')}{' '}
              <bdi dir="ltr">{sent.email}</bdi>
            </p>
            {text !== 'textOfLost' && <p>{t('claim.place.sent.next')}</p>}
            {sent.isKept && <p>{t('claim.place.sent.kept')}</p>}
          </div>
        </Notice>
        {sent.count > 1 && problem === null && <p role="status">{t('claim.place.sent.again')}</p>}
        {problem !== null && (
          <Notice tone="error" isLive>
            {t(`claim.place.problems.${problem}`)}
          </Notice>
        )}
        <p className={styles.muted}>{t('claim.place.sent.lost')}</p>
        <div className={styles.actions}>
          <Button isBusy={isBusy} onClick={() => void send(sent.email)}>
            {t('claim.place.sent.resend')}
          </Button>
          <Button
            variant="quiet"
            onClick={() => {
              setSent(null);
              setProblem(null);
            }}
          >
            {t('claim.place.sent.other')}
          </Button>
        </div>
      </div>
    );
  }

  const hasError = problem !== null;
  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      <p className={styles.muted}>{t(`claim.place.${text}`)}</p>
      <div className={fieldStyles.field}>
        <label className={fieldStyles.label} htmlFor={id}>
          {t('claim.place.label')}
        </label>
        <input
          ref={fieldRef}
          id={id}
          className={fieldStyles.input}
          type="email"
          dir="ltr"
          autoComplete="email"
          enterKeyHint="send"
          maxLength={254}
          aria-invalid={problem === 'email' || undefined}
          aria-describedby={hasError ? `${id}-hint ${id}-error` : `${id}-hint`}
          value={email}
          onChange={(event) => {
            setEmail(event.target.value);
            setProblem(null);
          }}
        />
        <p id={`${id}-hint`} className={fieldStyles.hint}>
          {t('claim.place.hint')}
        </p>
        <div id={`${id}-error`} className={fieldStyles.error} role="alert" hidden={!hasError}>
          {hasError && t(`claim.place.problems.${problem}`)}
        </div>
      </div>
      <Button type="submit" isWide isBusy={isBusy}>
        {t('claim.place.submit')}
      </Button>
    </form>
  );
}
