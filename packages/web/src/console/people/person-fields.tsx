import { EMAIL_PROBLEMS, type EmailProblem } from '@badge/protocol/email-address';
import { BadgeApiError, type Recipient, type Token } from '@badge/sdk';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { TextAreaField, TextField } from '../../design/text-field.tsx';
import { describeError } from '../describe-error.ts';
import { useSession } from '../session/session.ts';
import styles from './people-list.module.css';

/** A mail was sent to people with one of these, or will be, so their e-mail stays. */
const MAILED: readonly Recipient['status'][] = [
  'scheduled',
  'queued',
  'invited',
  'failed',
  'unsubscribed',
  'reserved',
];
const EMAIL_NAMES = Object.keys(EMAIL_PROBLEMS) as EmailProblem[];
const FIELDS = ['name', 'email', 'note'] as const;
type Field = (typeof FIELDS)[number];

const MAX_NAME_CHARACTERS = 100;
const MAX_NOTE_CHARACTERS = 500;

const read = ({ name, email, note }: Recipient): Record<Field, string> => ({
  name: name ?? '',
  email: email ?? '',
  note: note ?? '',
});

interface PersonFieldsProps {
  token: Token;
  person: Recipient;
  onChange: () => void;
}

/** The name, the e-mail and a note, which an issuer changes where they are. */
export function PersonFields({ token: { tokenId }, person, onChange }: PersonFieldsProps) {
  const { t } = useTranslation('console');
  const { badge, may } = useSession();
  const [typed, setTyped] = useState(() => read(person));
  const [saved, setSaved] = useState(() => read(person));
  const [isBusy, setIsBusy] = useState(false);
  const [isSaved, setIsSaved] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const changed = FIELDS.filter((field) => typed[field].trim() !== saved[field]);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isBusy || changed.length === 0) return;
    setIsBusy(true);
    setError(null);
    try {
      const changes = Object.fromEntries(changed.map((field) => [field, typed[field].trim() || null]));
      const now = read(await badge.updateRecipient({ tokenId, recipientId: person.recipientId, ...changes }));
      setSaved(now);
      setTyped(now);
      setIsSaved(true);
      onChange();
    } catch (caught) {
      setError(caught);
    } finally {
      setIsBusy(false);
    }
  }

  if (!may('issuer')) return person.note === null ? null : <bdi>{person.note}</bdi>;
  const wrong = error instanceof BadgeApiError ? findProblems(error) : new Map<string, string>();
  const isMailed = person.invitationId !== null && MAILED.includes(person.status);
  const fieldOf = (field: Field) => ({
    label: t(`people.fields.${field}`),
    value: typed[field],
    // Only what is typed here says what its problem is.
    error: wrong.has(field) ? describeProblem(field, wrong.get(field) ?? '') : null,
    onChange: ({ target }: { target: { value: string } }) => {
      setIsSaved(false);
      setTyped((last) => ({ ...last, [field]: target.value }));
    },
  });
  function describeProblem(field: Field, detail: string): string {
    if (field !== 'email') return t(`people.fields.${field}Wrong`);
    const problem = EMAIL_NAMES.find((name) => EMAIL_PROBLEMS[name] === detail);
    if (problem !== undefined) return t(`give.problems.${problem === 'form' ? 'badEmail' : problem}`);
    return t('people.fields.emailInvited');
  }

  return (
    <form className={styles.fields} onSubmit={(event) => void save(event)} noValidate>
      <TextField {...fieldOf('name')} autoComplete="off" maxLength={MAX_NAME_CHARACTERS} />
      <TextField
        {...fieldOf('email')}
        {...(isMailed && { hint: t('people.fields.emailInvited') })}
        type="email"
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        readOnly={isMailed}
      />
      <TextAreaField
        {...fieldOf('note')}
        hint={t('people.fields.noteHint')}
        maxLength={MAX_NOTE_CHARACTERS}
      />
      {error !== null && wrong.size === 0 && (
        <Notice tone="error" isLive>
          {describeError(error, t)}
        </Notice>
      )}
      <div className={styles.mails}>
        <Button type="submit" size="small" isBusy={isBusy} isDisabled={changed.length === 0}>
          {t('people.fields.save')}
        </Button>
        <span role="status">{isSaved ? t('people.fields.saved') : ''}</span>
      </div>
    </form>
  );
}

/** The problems of fields, by their names. */
function findProblems({ errors }: BadgeApiError): Map<string, string> {
  return new Map(
    errors.flatMap((problem) =>
      'pointer' in problem ? [[problem.pointer.slice(1), problem.detail] as const] : [],
    ),
  );
}
