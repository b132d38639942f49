import type { Environment, Token } from '@badge/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { readTimeZone } from '../../formats.ts';
import { ListFileError, type ListFileProblem } from '../../lists/list-file-error.ts';
import { LIST_LIMITS } from '../../lists/list-limits.ts';
import { readPeopleTable } from '../../lists/read-list-file.ts';
import type { ListTable } from '../../lists/read-list-table.ts';
import { LoadError } from '../../load-error.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { toStart } from '../make/typed-times.ts';
import { useSession } from '../session/session.ts';
import { type CreatorKey, signForCreator } from '../signer/creator-signer.ts';
import { SignButtons } from '../signer/sign-buttons.tsx';
import { useLeaveQuestion } from '../use-leave-question.ts';
import { ColumnsPart, labelColumns } from './columns-part.tsx';
import {
  type Delivery,
  DeliveryPart,
  isMessageTooLong,
  isSendTimeWrong,
  startDelivery,
} from './delivery-part.tsx';
import { findDoubtfulTexts } from './find-doubtful-texts.ts';
import { changesList, planJob } from './give-job.ts';
import styles from './give-page.module.css';
import { guessColumns } from './guess-columns.ts';
import type { JobStore, StoredJob } from './job-store.ts';
import { countPlanned } from './notification-counts.ts';
import { NotificationPart } from './notification-part.tsx';
import { MAX_FILE_BYTES, MAX_LINES, PeopleInput } from './people-input.tsx';
import { PeopleTable } from './people-table.tsx';
import { addEdit, editLines, type LineEdit, type LineEdits, type PersonLine } from './person-line.ts';
import { isToldByMail, type KnownPeople, type LinePlan, planLines } from './plan-lines.ts';
import { readKnownPeople, readWaitingPeople } from './read-known-people.ts';
import { readPeople } from './read-people.ts';
import { WaitingPart } from './waiting-part.tsx';

const NOBODY: KnownPeople = {
  holders: new Set(),
  contributors: new Map(),
  linked: new Set(),
  invitations: new Map(),
  told: new Set(),
  names: new Map(),
};
const KINDS = [
  'airdrop',
  'list',
  'tell',
  'link',
  'nameLink',
  'has',
  'listed',
  'linked',
  'invited',
  'failed',
  'unsubscribed',
  'repeated',
  'wrong',
] as const satisfies readonly LinePlan['kind'][];
const NOBODY_WAITS = { lines: [], withoutLink: 0 };

interface ListPartProps {
  token: Token;
  creatorKey: CreatorKey | null;
  mail: Environment['mail'];
  /** The page where people claim. */
  claimUrl: string;
  store: JobStore;
  /** Lines to correct, of a list that was given before. */
  firstLines: PersonLine[];
  onJob: (stored: StoredJob, isNew: boolean) => void;
}

interface List {
  /** Each list that is read is another one. */
  number: number;
  /** The lines of people who are known already; empty if there is a table. */
  lines: PersonLine[];
  read: { table: ListTable; list: Blob | string } | null;
  /** What the organiser has changed. It stays when columns are chosen again. */
  edits: LineEdits;
}

/** Gives a badge to people on a list: reads it, says what will happen, and plans the job. */
export function ListPart({ firstLines, mail, ...props }: ListPartProps) {
  const { i18n } = useTranslation('console');
  const [list, setList] = useState<List>({ number: 0, lines: firstLines, read: null, edits: new Map() });
  const [delivery, setDelivery] = useState(() => startDelivery(mail, i18n.language));
  // The list is stored only when it is given.
  useLeaveQuestion(list.read !== null || list.lines.length > 0);
  const setLines = (lines: PersonLine[]) =>
    setList(({ number }) => ({ number: number + 1, lines, read: null, edits: new Map() }));
  const setTable = (table: ListTable, source: Blob | string) =>
    setList(({ number }) => ({
      number: number + 1,
      lines: [],
      read: { table, list: source },
      edits: new Map(),
    }));
  const rest = {
    ...props,
    mail,
    delivery,
    onDelivery: setDelivery,
    edits: list.edits,
    onEdit: (line: PersonLine, edit: LineEdit) =>
      setList((last) => ({ ...last, edits: addEdit(last.edits, line, edit) })),
  };
  if (list.read !== null) {
    return (
      <TableList key={list.number} {...rest} {...list.read} onRead={setTable} onClear={() => setLines([])} />
    );
  }
  if (list.lines.length === 0) {
    return <ListInput token={props.token} mail={mail} onLines={setLines} onRead={setTable} />;
  }
  return (
    <CheckedList
      key={list.number}
      {...rest}
      lines={list.lines}
      columnLabels={[]}
      hiddenCount={0}
      takesFocus
      onClear={() => setLines([])}
    />
  );
}

interface Choices {
  delivery: Delivery;
  onDelivery: (delivery: Delivery) => void;
  edits: LineEdits;
  onEdit: (line: PersonLine, edit: LineEdit) => void;
}

interface TableListProps extends Omit<ListPartProps, 'firstLines'>, Choices {
  table: ListTable;
  list: Blob | string;
  onRead: (table: ListTable, list: Blob | string) => void;
  onClear: () => void;
}

/** A list with its columns. Whatever is changed about them, the people are read again. */
function TableList({ table, list, onRead, ...rest }: TableListProps) {
  const { t } = useTranslation('console');
  const [hasHidden, setHasHidden] = useState(false);
  const rows = useMemo(
    () => (hasHidden ? table.rows : table.rows.filter(({ isHidden }) => isHidden !== true)),
    [table, hasHidden],
  );
  const hiddenCount = table.rows.filter(({ isHidden }) => isHidden).length;
  const [mapping, setMapping] = useState(() => guessColumns(rows));
  // Each change of the columns makes another list.
  const [version, setVersion] = useState(0);
  const [problem, setProblem] = useState<ListFileProblem | null>(null);
  const lines = useMemo(() => readPeople(rows, mapping), [rows, mapping]);
  const hasColumns =
    mapping.roles.length > 1 ||
    hiddenCount > 0 ||
    (table.workbook?.sheets.length ?? 0) > 1 ||
    findDoubtfulTexts(table).length > 0;
  const wrong = lines.length === 0 ? 'noLines' : lines.length > MAX_LINES ? 'tooManyLines' : problem;

  async function readSheet(sheet: number): Promise<void> {
    try {
      onRead(await readPeopleTable(list, { maxBytes: MAX_FILE_BYTES, sheet }), list);
    } catch (error) {
      setProblem(error instanceof ListFileError ? error.problem : 'unreadable');
    }
  }

  return (
    <>
      {hasColumns && (
        <ColumnsPart
          table={table}
          rows={rows}
          hiddenCount={hiddenCount}
          hasHidden={hasHidden}
          onHasHidden={(has) => {
            setHasHidden(has);
            setVersion((last) => last + 1);
          }}
          mapping={mapping}
          onMapping={(changed) => {
            setMapping(changed);
            setVersion((last) => last + 1);
          }}
          onSheet={(sheet) => void readSheet(sheet)}
        />
      )}
      {wrong === null ? (
        <CheckedList
          key={version}
          {...rest}
          lines={lines}
          columnLabels={labelColumns(rows, mapping)}
          hiddenCount={hasHidden ? 0 : hiddenCount}
          takesFocus={!hasColumns}
        />
      ) : (
        <Card className={styles.part}>
          <p role="alert">{t(`give.input.problems.${wrong}`, { max: MAX_LINES, ...LIST_LIMITS })}</p>
          <div className={styles.actions}>
            <Button onClick={rest.onClear}>{t('give.check.clear')}</Button>
          </div>
        </Card>
      )}
    </>
  );
}

/** The people on the list who need a link, if there are any, and the field for a list. */
function ListInput({
  token,
  mail,
  onLines,
  onRead,
}: {
  token: Token;
  mail: Environment['mail'];
  onLines: (lines: PersonLine[]) => void;
  onRead: (table: ListTable, list: Blob | string) => void;
}) {
  const { badge } = useSession();
  const waiting = useLoaded(`give/${token.tokenId}/waiting`, async (signal) =>
    token.claimabilityAttributes.isAllowlistRequired ? await readWaitingPeople(badge, token, signal) : null,
  );
  const { lines, withoutLink } = (waiting.status === 'loaded' && waiting.value) || NOBODY_WAITS;
  return (
    <>
      {withoutLink > 0 && (
        <WaitingPart count={withoutLink} isInviting={mail === 'sent'} onSubmit={() => onLines(lines)} />
      )}
      <PeopleInput isNext={withoutLink === 0} onRead={onRead} />
    </>
  );
}

interface CheckedListProps extends Omit<ListPartProps, 'firstLines'>, Choices {
  lines: PersonLine[];
  columnLabels: readonly string[];
  /** How many rows of the list are left out, because a spreadsheet program hides them. */
  hiddenCount: number;
  takesFocus: boolean;
  onClear: () => void;
}

function CheckedList({
  token,
  creatorKey,
  mail,
  claimUrl,
  store,
  lines: readLines,
  columnLabels,
  hiddenCount,
  takesFocus,
  delivery,
  onDelivery,
  edits,
  onEdit,
  onJob,
  onClear,
}: CheckedListProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId, claimabilityAttributes } = token;
  const { isInviting } = delivery;
  const isAllowlisted = claimabilityAttributes.isAllowlistRequired;
  const lines = useMemo(() => editLines(readLines, edits), [readLines, edits]);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const known = useLoaded(`give/${tokenId}/known`, (signal) => readKnown(signal));
  const people = known.status === 'loaded' ? known.value : NOBODY;
  const plans = useMemo(
    () => planLines(lines, isAllowlisted, people, isInviting),
    [lines, isAllowlisted, people, isInviting],
  );
  const counts = useMemo(() => countKinds(plans), [plans]);
  const told = useMemo(() => countPlanned(plans, isInviting), [plans, isInviting]);
  const getting = counts.airdrop + counts.list + counts.tell + counts.link + counts.nameLink;
  const remaining = claimabilityAttributes.remainingClaimCount;
  // Those who get a link, or would be told if the service sent the mails.
  const mailable = useMemo(
    () => planLines(lines, isAllowlisted, people, true),
    [lines, isAllowlisted, people],
  );
  const mailed = lines.filter((_, index) => plans[index]?.kind === 'link' || isMailed(mailable[index]));

  useEffect(() => {
    if (takesFocus) headingRef.current?.focus();
  }, [takesFocus]);

  async function readKnown(signal: AbortSignal): Promise<KnownPeople> {
    const recipients = planLines(lines, isAllowlisted, NOBODY).flatMap((plan) =>
      'recipient' in plan ? [plan.recipient] : [],
    );
    const hasNames = lines.some(({ hasOnlyName }) => hasOnlyName);
    return await readKnownPeople(badge, { tokenId, isAllowlisted, hasNames }, recipients, signal);
  }

  async function give(provider: Parameters<typeof signForCreator>[3]): Promise<void> {
    // Somebody else may have given it meanwhile.
    const latest = await readKnown(new AbortController().signal);
    const planned = planLines(lines, isAllowlisted, latest, isInviting);
    const mustSign = creatorKey !== null && changesList(planned, isAllowlisted);
    const signature = mustSign ? await signForCreator(badge, token, creatorKey, provider) : null;
    const stored = planJob(lines, planned, {
      tokenId,
      isAllowlisted,
      signature,
      invitation: isInviting
        ? {
            message: delivery.message.trim(),
            language: delivery.language,
            timeZone: readTimeZone(),
            sendAtTimestamp: toStart(delivery.sendAt),
          }
        : null,
      tokenCreatedAtTimestamp: token.createdAtTimestamp,
    });
    // Another tab may have begun a list for this badge. Then that one is shown.
    const other = await store.find(tokenId);
    if (other === null) await store.add(stored);
    onJob(other ?? stored, other === null);
  }

  /** What the button does: people on a list can claim the badge, so they do not get it at once. */
  function describeSubmit(): string {
    const { airdrop, list } = counts;
    const mails = isInviting ? told.mail : 0;
    const links = counts.nameLink + (isInviting ? 0 : counts.link);
    let text: string | null = null;
    if (isAllowlisted && list > 0) text = t('give.check.submit.list', { count: list });
    if (!isAllowlisted && airdrop > 0) text = t('give.check.submit.airdrop', { count: airdrop });
    for (const [one, alone, count] of [
      ['withInvites', 'invite', mails],
      ['withLinks', 'link', links],
    ] as const) {
      if (count === 0) continue;
      text =
        text === null
          ? t(`give.check.submit.${alone}`, { count })
          : t(`give.check.submit.${one}`, { first: text, count });
    }
    return text ?? t('give.check.submit.nothing');
  }

  return (
    <Card className={styles.part}>
      <h2 ref={headingRef} tabIndex={-1} className={styles.heading}>
        {t('give.check.title')}
      </h2>
      {known.status === 'loading' && <LoadingBlock />}
      {known.status === 'failed' && <LoadError error={known.error} onRetry={known.reload} />}
      {known.status === 'loaded' && (
        <>
          <ul className={`plain-list ${styles.counts}`} aria-live="polite">
            {KINDS.filter((kind) => counts[kind] > 0).map((kind) => (
              <li key={kind} data-tone={kind === 'wrong' ? 'bad' : undefined}>
                {t(kind === 'link' && isInviting ? 'give.check.invite' : `give.check.${kind}`, {
                  count: counts[kind],
                })}
              </li>
            ))}
            {hiddenCount > 0 && <li>{t('give.check.hidden', { count: hiddenCount })}</li>}
          </ul>
          {remaining !== null && remaining < getting && (
            <Notice tone="warning">{t('give.check.tooFew', { count: remaining })}</Notice>
          )}
          {counts.list > 0 && <Notice tone="info">{t('give.check.claimAlone')}</Notice>}
          {!isAllowlisted && !isInviting && counts.link > 0 && (
            <Notice tone="info">{t('give.check.openLinks')}</Notice>
          )}
          <PeopleTable
            lines={lines}
            plans={plans}
            isInviting={isInviting}
            columnLabels={columnLabels}
            onCorrect={(line, recipient) => onEdit(line, { recipient })}
            onRemove={(line) => {
              onEdit(line, 'removed');
              headingRef.current?.focus();
            }}
          />
          {counts.wrong > 0 && getting > 0 && (
            <p className={styles.muted}>{t('give.check.leftOut', { count: counts.wrong })}</p>
          )}
          {mailed.length > 0 && (
            <DeliveryPart
              tokenId={tokenId}
              mail={mail}
              delivery={delivery}
              onChange={onDelivery}
              lines={mailed}
            />
          )}
          <NotificationPart
            counts={told}
            sendAtTimestamp={isInviting ? toStart(delivery.sendAt) : null}
            claimUrl={claimUrl}
          />
          <SignButtons
            creatorKey={changesList(plans, isAllowlisted) ? creatorKey : null}
            creator={token.createdByAddress}
            label={describeSubmit()}
            isPrimary
            isDisabled={
              getting === 0 ||
              (isInviting && (isMessageTooLong(delivery.message) || isSendTimeWrong(delivery.sendAt)))
            }
            onSubmit={async (wallet) => await give(wallet?.provider ?? null)}
          />
        </>
      )}
      <div className={styles.actions}>
        <Button variant="quiet" onClick={onClear}>
          {t('give.check.clear')}
        </Button>
      </div>
    </Card>
  );
}

/** Whether the service sends somebody a mail. */
function isMailed(plan: LinePlan | undefined): boolean {
  return plan !== undefined && (plan.kind === 'link' || isToldByMail(plan));
}

function countKinds(plans: readonly LinePlan[]): Record<LinePlan['kind'], number> {
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<LinePlan['kind'], number>;
  for (const { kind } of plans) counts[kind] += 1;
  return counts;
}
