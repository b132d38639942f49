import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Pagination } from '../../design/pagination.tsx';
import { TextField } from '../../design/text-field.tsx';
import styles from './people-table.module.css';
import { keyOfLine, type PersonLine } from './person-line.ts';
import { isGoodEmail, isToldByMail, type LinePlan } from './plan-lines.ts';

/** So few that the browser stays fast. */
const PAGE_SIZE = 50;

/**
 * No recipient and no name is longer. A cell can have megabytes: all of it is checked, and its begin is
 * shown.
 */
const MAX_SHOWN_LENGTH = 300;

const cut = (text: string) => (text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text);

const FILTERS = ['all', 'wrong', 'gets', 'skipped'] as const;
type Filter = (typeof FILTERS)[number];

function filterOf({ kind }: LinePlan): Filter {
  if (kind === 'wrong') return 'wrong';
  return ['airdrop', 'list', 'tell', 'link', 'nameLink'].includes(kind) ? 'gets' : 'skipped';
}

interface PeopleTableProps {
  lines: readonly PersonLine[];
  plans: readonly LinePlan[];
  /** Whether the service sends the links. */
  isInviting: boolean;
  /** What the columns of the list are called. */
  columnLabels: readonly string[];
  onCorrect: (line: PersonLine, recipient: string) => void;
  onRemove: (line: PersonLine) => void;
}

/** What will happen with each line of a list. The wrong ones are shown first, and can be corrected. */
export function PeopleTable(props: PeopleTableProps) {
  const { lines, plans, isInviting, columnLabels, onCorrect, onRemove } = props;
  const { t } = useTranslation('console');
  const filters = useMemo(() => plans.map(filterOf), [plans]);
  const counts = { all: lines.length, wrong: 0, gets: 0, skipped: 0 };
  for (const filter of filters) counts[filter] += 1;
  const [filter, setFilter] = useState<Filter>(() => (counts.wrong > 0 ? 'wrong' : 'all'));
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  // A corrected line stays where it is until something else is chosen. Otherwise it would vanish under the
  // person's hands.
  const [shownLines, setShownLines] = useState(() => linesOf(filter, text));

  function linesOf(wanted: Filter, searched: string): ReadonlySet<string> | null {
    const wantedText = searched.trim().toLowerCase();
    if (wanted === 'all' && wantedText === '') return null;
    const isShown = (line: PersonLine, index: number) =>
      (wanted === 'all' || filters[index] === wanted) && matches(line, plans[index], wantedText);
    return new Set(lines.filter(isShown).map(keyOfLine));
  }

  function show(wanted: Filter, searched: string): void {
    setFilter(wanted);
    setText(searched);
    setShownLines(linesOf(wanted, searched));
    setPage(1);
  }

  const indexes = [...lines.entries()].flatMap(([index, line]) =>
    (shownLines?.has(keyOfLine(line)) ?? true) ? [index] : [],
  );
  const lastPage = Math.max(1, Math.ceil(indexes.length / PAGE_SIZE));
  const shownPage = Math.min(page, lastPage);
  return (
    <div className={styles.people}>
      <div className={styles.filters}>
        {FILTERS.filter((name) => name === 'all' || name === filter || counts[name] > 0).map((name) => (
          <Button
            key={name}
            size="small"
            variant={name === filter ? 'secondary' : 'quiet'}
            aria-pressed={name === filter}
            onClick={() => show(name, text)}
          >
            {t(`give.table.filters.${name}`, { count: counts[name] })}
          </Button>
        ))}
      </div>
      {lines.length > PAGE_SIZE && (
        <TextField
          type="search"
          label={t('give.table.search')}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => show(filter, event.target.value)}
        />
      )}
      {text.trim() !== '' && <p role="status">{t('listing.found', { count: indexes.length })}</p>}
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('give.table.line')}</th>
            <th scope="col">{t('give.table.recipient')}</th>
            <th scope="col">{t('give.table.name')}</th>
            <th scope="col">{t('give.table.effect')}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {indexes.slice((shownPage - 1) * PAGE_SIZE, shownPage * PAGE_SIZE).map((index) => {
            const line = lines[index];
            const plan = plans[index];
            if (line === undefined || plan === undefined) return null;
            return (
              <LineRow
                key={keyOfLine(line)}
                line={line}
                plan={plan}
                isInviting={isInviting}
                columnLabels={columnLabels}
                onCorrect={onCorrect}
                onRemove={onRemove}
              />
            );
          })}
        </tbody>
      </table>
      <Pagination page={shownPage} hasNextPage={shownPage < lastPage} onChange={setPage} />
    </div>
  );
}

/** Whether a line has this text, which is in lower case. A private key is not searched. */
function matches({ name, recipient, email }: PersonLine, plan: LinePlan | undefined, text: string) {
  const isSecret = plan?.kind === 'wrong' && plan.problem === 'secret';
  return [name, email, isSecret ? '' : recipient].some((written) => written.toLowerCase().includes(text));
}

interface LineRowProps {
  line: PersonLine;
  plan: LinePlan;
  isInviting: boolean;
  columnLabels: readonly string[];
  onCorrect: (line: PersonLine, recipient: string) => void;
  onRemove: (line: PersonLine) => void;
}

function LineRow({ line, plan, isInviting, columnLabels, onCorrect, onRemove }: LineRowProps) {
  const { t, i18n } = useTranslation('console');
  const format = (number: number) => new Intl.NumberFormat(i18n.language).format(number);
  const number = line.part === undefined ? format(line.line) : `${format(line.line)} (${format(line.part)})`;
  const labelsOf = (indexes: readonly number[] = []) =>
    // Each title in its own direction, whatever that of the page is.
    indexes.map((index) => `\u2068${columnLabels[index] ?? ''}\u2069`).join(', ');
  const recipientColumns = labelsOf(line.columns?.recipient);
  const nameColumns = labelsOf(line.columns?.name);
  const isWrong = plan.kind === 'wrong';
  // A private key is not shown to whoever looks at the screen.
  const isSecret = isWrong && plan.problem === 'secret';
  const written = isSecret ? '' : line.recipient;
  const [text, setText] = useState(() => cut(written));
  // The Escape key restores what was there when the field got the focus.
  const [first, setFirst] = useState(written);
  const effectId = `effect-${keyOfLine(line)}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another secret is hidden again.
  useEffect(() => {
    if (isSecret) setText('');
  }, [isSecret, line.recipient]);

  /** Each letter counts at once, so that a line is not wrong any more as soon as it is right. */
  function correct(typed: string): void {
    setText(cut(typed));
    if (typed.trim() !== '' || !isSecret) onCorrect(line, typed.trim());
  }

  return (
    <tr className={joinClasses(isWrong && styles.wrong)}>
      <th scope="row" className={styles.line}>
        <span className={styles.lineWord}>{t('give.table.line')} </span>
        {number}
      </th>
      <td className={styles.recipient}>
        <input
          className={styles.input}
          dir="ltr"
          aria-label={t('give.table.recipientOf', { line: number })}
          aria-describedby={effectId}
          aria-invalid={isWrong || undefined}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          value={text}
          onChange={(event) => correct(event.target.value)}
          onFocus={() => setFirst(written)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && first !== '') correct(first);
          }}
        />
        {recipientColumns !== '' && (
          <p className={styles.source}>{t('give.table.from', { columns: recipientColumns })}</p>
        )}
        {!isWrong && line.email !== '' && (
          <p className={styles.source}>
            {t(isToldByMail(plan) ? 'give.table.mailTo' : 'give.table.noMailTo', {
              email: `\u2068${cut(line.email)}\u2069`,
            })}
          </p>
        )}
        {line.unused !== undefined && !isSecret && (
          <p className={styles.unused}>{t('give.table.unused', { texts: line.unused.join(', ') })}</p>
        )}
      </td>
      <td className={styles.name}>
        <bdi>{cut(line.name)}</bdi>
        {nameColumns !== '' && (
          <p className={styles.source}>{t('give.table.from', { columns: nameColumns })}</p>
        )}
      </td>
      <td id={effectId} className={styles.effect}>
        <Effect plan={plan} isInviting={isInviting} />
        {isWrong && isGoodEmail(line.email) && (
          <Button
            size="small"
            aria-label={t('give.table.useEmailOf', { email: line.email, line: number })}
            onClick={() => correct(line.email)}
          >
            {t('give.table.useEmail', { email: line.email })}
          </Button>
        )}
      </td>
      <td className={styles.remove}>
        <Button
          size="small"
          variant="quiet"
          aria-label={t('give.table.removeLine', { line: number })}
          onClick={() => onRemove(line)}
        >
          {t('give.table.remove')}
        </Button>
      </td>
    </tr>
  );
}

function Effect({ plan, isInviting }: { plan: LinePlan; isInviting: boolean }) {
  const { t } = useTranslation('console');
  if (plan.kind === 'wrong') return <>{t(`give.problems.${plan.problem}`)}</>;
  if (plan.kind === 'repeated') {
    return <>{t('give.effects.repeated', { line: plan.firstLine })}</>;
  }
  if (plan.kind === 'list' && plan.told === 'mail') return <>{t('give.effects.listAndTell')}</>;
  if (plan.kind === 'link' && isInviting) return <>{t('give.effects.invite')}</>;
  return <>{t(`give.effects.${plan.kind}`)}</>;
}
