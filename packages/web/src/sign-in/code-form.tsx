import { BadgeApiError } from '@badge/sdk';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { badge } from '../api.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { TextField } from '../design/text-field.tsx';
import { type MailProblem, nameMailProblem, useAskForMail } from './ask-for-mail.ts';
import type { Challenge } from './challenge.ts';
import styles from './email-sign-in.module.css';
import { keepSession, type PersonSession } from './person-session.ts';
import { readSignInCode } from './sign-in-code.ts';

/** Mails need a moment, and a mailbox gets only a few of them. */
const RESEND_PAUSE_MS = 60_000;

type Problem = MailProblem | 'shape' | 'wrong' | 'expired';

interface CodeFormProps {
  challenge: Challenge;
  /** The code in the link of a mail; undefined if the person types it. */
  code: string | undefined;
  /** Whether it is the main action of the page. */
  isMain: boolean;
  onChange: (challenge: Challenge | null) => void;
  onSignedIn: (session: PersonSession) => void;
}

/** Takes the code that was mailed to an address, and signs in with it. */
export default function CodeForm({ challenge, code = '', isMain, onChange, onSignedIn }: CodeFormProps) {
  const { t } = useTranslation('code');
  const { t: shared } = useTranslation();
  const askForMail = useAskForMail();
  const isSandbox = useIsMailKept();
  const pauseSeconds = useSecondsUntil(challenge.askedAtTimestamp + RESEND_PAUSE_MS);
  const [text, setText] = useState(code);
  const [busy, setBusy] = useState<'code' | 'mail' | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [hasAskedAgain, setHasAskedAgain] = useState(false);
  const fieldRef = useRef<HTMLInputElement>(null);
  // The form that was here before is gone, and the code is what comes next.
  useEffect(() => fieldRef.current?.focus(), []);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy !== null) return;
    const typed = readSignInCode(text);
    if (typed === null) {
      setProblem('shape');
      fieldRef.current?.focus();
      return;
    }
    setBusy('code');
    setProblem(null);
    try {
      const { challengeId } = challenge;
      onSignedIn(keepSession(await badge.signIn({ challengeId, code: typed })));
    } catch (error) {
      const isRefused = error instanceof BadgeApiError && error.name === 'SignInRefused';
      const isLate = Date.now() > challenge.expiresAtTimestamp;
      if (isRefused) setProblem(isLate ? 'expired' : 'wrong');
      else setProblem(nameMailProblem(error));
      fieldRef.current?.focus();
    } finally {
      setBusy(null);
    }
  }

  async function askAgain(): Promise<void> {
    setBusy('mail');
    setProblem(null);
    const result = await askForMail(challenge.email, challenge.page);
    setBusy(null);
    if (typeof result === 'object') {
      setHasAskedAgain(true);
      onChange(result);
    } else setProblem(result);
    fieldRef.current?.focus();
  }

  function describe(name: Problem): string {
    const isOfCode = name === 'shape' || name === 'wrong' || name === 'expired';
    return isOfCode ? t(`problems.${name}`) : shared(`signIn.problems.${name}`);
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <Notice tone="success" isLive title={t('title')}>
        <p>
          {t(hasAskedAgain ? 'sentAgain' : 'sent')} <bdi dir="ltr">{challenge.email}</bdi>
        </p>
        {isSandbox && <p>{t('sandbox')}</p>}
      </Notice>
      <TextField
        ref={fieldRef}
        label={t('label')}
        hint={t('hint')}
        error={problem === null ? null : describe(problem)}
        className={styles.code}
        dir="ltr"
        autoComplete="one-time-code"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        enterKeyHint="go"
        maxLength={40}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(null);
        }}
      />
      <Button
        type="submit"
        size="large"
        isWide
        variant={isMain ? 'primary' : 'secondary'}
        isBusy={busy === 'code'}
      >
        {t('submit')}
      </Button>
      <p className={styles.muted}>{t('lost')}</p>
      <div className={styles.actions}>
        <Button
          size="small"
          isDisabled={pauseSeconds > 0}
          isBusy={busy === 'mail'}
          onClick={() => void askAgain()}
        >
          {pauseSeconds > 0 ? t('resendIn', { seconds: pauseSeconds }) : t('resend')}
        </Button>
        <Button size="small" variant="quiet" onClick={() => onChange(null)}>
          {t('other')}
        </Button>
      </div>
    </form>
  );
}

/** Whether the service only keeps its mails. Only a person who has got this far asks for it. */
function useIsMailKept(): boolean {
  const [isKept, setIsKept] = useState(false);
  useEffect(() => {
    badge.getEnvironment().then(
      ({ mail }) => setIsKept(mail === 'kept'),
      () => {},
    );
  }, []);
  return isKept;
}

/** How many seconds are left; 0 when the time is over. */
function useSecondsUntil(timestamp: number): number {
  const [now, setNow] = useState(Date.now);
  const seconds = Math.max(0, Math.ceil((timestamp - now) / 1_000));
  const isOver = seconds === 0;
  useEffect(() => {
    setNow(Date.now());
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isOver]);
  return seconds;
}
