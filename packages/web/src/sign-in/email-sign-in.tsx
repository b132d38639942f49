import { type FormEvent, lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../design/button.tsx';
import { Spinner } from '../design/spinner.tsx';
import { TextField } from '../design/text-field.tsx';
import { addMessages } from '../i18n/index.ts';
import { type MailProblem, useAskForMail } from './ask-for-mail.ts';
import { type Challenge, findChallenge, keepChallenge } from './challenge.ts';
import styles from './email-sign-in.module.css';
import type { PersonSession } from './person-session.ts';

/** What these people mistype. The service checks the rest. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;

// Loaded when a mail is asked for: most people who open a page never type a code.
const CodeForm = lazy(loadCodeForm);

async function loadCodeForm() {
  const [form, { CODE_MESSAGES }] = await Promise.all([
    import('./code-form.tsx'),
    import('./code-messages.ts'),
  ]);
  await addMessages(CODE_MESSAGES);
  return form;
}

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
    <Suspense fallback={<Spinner />}>
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
    </Suspense>
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
  const [problem, setProblem] = useState<MailProblem | null>(null);
  const fieldRef = useRef<HTMLInputElement>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const address = email.trim();
    if (isBusy) return;
    setIsBusy(true);
    const result = EMAIL.test(address) ? await ask(address) : 'email';
    setIsBusy(false);
    if (typeof result === 'object') {
      onChallenge(result);
      return;
    }
    setProblem(result);
    fieldRef.current?.focus();
  }

  // Without the form for the code, a mail would be of no use.
  async function ask(address: string): Promise<Challenge | MailProblem> {
    const isLoaded = await loadCodeForm().then(
      () => true,
      () => false,
    );
    return isLoaded ? await askForMail(address, findPage()) : 'offline';
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

function findPage(): string {
  return location.pathname + location.search + location.hash;
}
