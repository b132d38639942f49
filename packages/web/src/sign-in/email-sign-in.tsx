import { BadgeApiError } from '@badge/sdk';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { badge } from '../api.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { TextField } from '../design/text-field.tsx';
import { chooseLanguage } from '../i18n/languages.ts';
import { type Challenge, findChallenge, keepChallenge } from './challenge.ts';
import styles from './email-sign-in.module.css';
import { keepSession, type PersonSession } from './person-session.ts';
import { readSignInCode } from './sign-in-code.ts';

/** What these people mistype. The service checks the rest. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;
/** Mails need a moment, and a mailbox gets only a few of them. */
const RESEND_PAUSE_MS = 60_000;

type Problem = 'email' | 'shape' | 'wrong' | 'expired' | 'mail' | 'busy' | 'offline' | 'failed';

const PROBLEMS: Readonly<Record<string, Problem>> = {
  InvalidRequest: 'email',
  SignInRefused: 'wrong',
  MailUnavailable: 'mail',
  KeptBadgesUnavailable: 'mail',
  RateLimited: 'busy',
};

interface EmailSignInProps {
  /** What an e-mail address is used for here. */
  hint: string;
  /** Whether it is the main action of the page. */
  isMain?: boolean;
  /** The code in the link of a mail that this tab has asked for. It fills the field. */
  code?: string;
  /** Called when somebody has signed in. `page`: the path of the page that asked for the mail. */
  onSignedIn: (session: PersonSession, page: string) => void;
}

/**
 * Signs in with an e-mail address: the service sends a code, which the person types here. A page that is
 * loaded again in the meantime, as phones do, still asks for the code.
 */
export function EmailSignIn({ hint, isMain = false, code, onSignedIn }: EmailSignInProps) {
  const [challenge, setChallenge] = useState(findChallenge);
  function change(next: Challenge | null): void {
    keepChallenge(next);
    setChallenge(next);
  }
  return challenge === null ? (
    <AddressForm hint={hint} isMain={isMain} onChallenge={change} />
  ) : (
    <CodeForm
      challenge={challenge}
      code={code}
      isMain={isMain}
      onChange={change}
      onSignedIn={(session) => {
        keepChallenge(null);
        onSignedIn(session, challenge.page);
      }}
    />
  );
}

interface AddressFormProps extends Required<Pick<EmailSignInProps, 'hint' | 'isMain'>> {
  onChallenge: (challenge: Challenge) => void;
}

function AddressForm({ hint, isMain, onChallenge }: AddressFormProps) {
  const { t } = useTranslation();
  const askForMail = useAskForMail();
  const [email, setEmail] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const fieldRef = useRef<HTMLInputElement>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const address = email.trim();
    if (isBusy) return;
    setIsBusy(true);
    const result = EMAIL.test(address) ? await askForMail(address, findPage()) : 'email';
    setIsBusy(false);
    if (typeof result === 'object') {
      onChallenge(result);
      return;
    }
    setProblem(result);
    fieldRef.current?.focus();
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        ref={fieldRef}
        type="email"
        label={t('signIn.email.label')}
        hint={hint}
        error={problem === null ? null : t(`signIn.problems.${problem}`)}
        dir="ltr"
        autoComplete="email"
        enterKeyHint="send"
        maxLength={254}
        value={email}
        onChange={(event) => {
          setEmail(event.target.value);
          setProblem(null);
        }}
      />
      <Button type="submit" size="large" isWide variant={isMain ? 'primary' : 'secondary'} isBusy={isBusy}>
        {t('signIn.email.submit')}
      </Button>
    </form>
  );
}

interface CodeFormProps extends Required<Pick<EmailSignInProps, 'isMain'>> {
  challenge: Challenge;
  code: string | undefined;
  onChange: (challenge: Challenge | null) => void;
  onSignedIn: (session: PersonSession) => void;
}

function CodeForm({ challenge, code = '', isMain, onChange, onSignedIn }: CodeFormProps) {
  const { t } = useTranslation();
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
      const name = nameProblem(error);
      const isLate = Date.now() > challenge.expiresAtTimestamp;
      setProblem(name === 'wrong' && isLate ? 'expired' : name);
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

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <Notice tone="success" isLive title={t('signIn.code.title')}>
        <p>
          {t(hasAskedAgain ? 'signIn.code.sentAgain' : 'signIn.code.sent')}{' '}
          <bdi dir="ltr">{challenge.email}</bdi>
        </p>
        {isSandbox && <p>{t('signIn.code.sandbox')}</p>}
      </Notice>
      <TextField
        ref={fieldRef}
        label={t('signIn.code.label')}
        hint={t('signIn.code.hint')}
        error={problem === null ? null : t(`signIn.problems.${problem}`)}
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
        {t('signIn.code.submit')}
      </Button>
      <p className={styles.muted}>{t('signIn.code.lost')}</p>
      <div className={styles.actions}>
        <Button
          size="small"
          isDisabled={pauseSeconds > 0}
          isBusy={busy === 'mail'}
          onClick={() => void askAgain()}
        >
          {pauseSeconds > 0 ? t('signIn.code.resendIn', { seconds: pauseSeconds }) : t('signIn.code.resend')}
        </Button>
        <Button size="small" variant="quiet" onClick={() => onChange(null)}>
          {t('signIn.code.other')}
        </Button>
      </div>
    </form>
  );
}

/**
 * Returns a function that asks for a mail with a code, and returns the challenge, or what went wrong. What it
 * returns says nothing about the address.
 */
function useAskForMail(): (email: string, page: string) => Promise<Challenge | Problem> {
  const { i18n } = useTranslation();
  return async (email, page) => {
    try {
      const { challengeId, expiresAtTimestamp } = await badge.createEmailChallenge({
        email,
        language: chooseLanguage([i18n.language]),
        returnPath: location.pathname,
      });
      return { challengeId, email, expiresAtTimestamp, askedAtTimestamp: Date.now(), page };
    } catch (error) {
      return nameProblem(error);
    }
  };
}

function nameProblem(error: unknown): Problem {
  return error instanceof BadgeApiError ? (PROBLEMS[error.name] ?? 'failed') : 'offline';
}

function findPage(): string {
  return location.pathname + location.search + location.hash;
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
