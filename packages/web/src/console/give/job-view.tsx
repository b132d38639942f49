import { EMAIL_PROBLEMS, type EmailProblem } from '@badge/protocol/email-address';
import type { Token } from '@badge/sdk';
import type { TFunction } from 'i18next';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Notice } from '../../design/notice.tsx';
import { VisuallyHidden } from '../../design/visually-hidden.tsx';
import { saveFile } from '../../save-file.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { useBadgeEvents } from '../badges/use-badge-events.ts';
import { describeError } from '../describe-error.ts';
import { useMail } from '../mail/use-mail.ts';
import { PeopleList } from '../people/people-list.tsx';
import { useSession } from '../session/session.ts';
import { toCsv } from '../to-csv.ts';
import { toClaimUrl } from './claim-url.ts';
import { collectOutcomes, countPeople, type Outcome } from './give-job.ts';
import styles from './give-page.module.css';
import { toJobRows } from './job-rows.ts';
import type { JobStore, StoredJob } from './job-store.ts';
import { countTold } from './notification-counts.ts';
import { NotificationPart } from './notification-part.tsx';
import { keyOfLine, type PersonLine } from './person-line.ts';
import { useGiveRun } from './use-give-run.ts';

/** More are only in the file. */
const MAX_SHOWN = 50;
const COUNTED = ['given', 'listed', 'told', 'linked', 'invited', 'refused'] as const;
const SKIPPED = ['has', 'listed', 'linked', 'invited', 'failed', 'unsubscribed', 'repeated'] as const;

interface JobViewProps {
  token: Token;
  /** The public page of the badge, such as `https://badge.example/token/7`. */
  publicUrl: string;
  store: JobStore;
  stored: StoredJob;
  /** Whether it has just been made in this tab. Otherwise the person decides when it continues. */
  isNew: boolean;
  /** Forgets the job. `lines` are those who got nothing, to correct them. */
  onEnd: (lines: PersonLine[]) => void;
}

/** A badge that is being given, or has been given: how far it is, and the file with the links. */
export function JobView({ token, publicUrl, store, stored, isNew, onEnd }: JobViewProps) {
  const { t } = useTranslation(['console', 'translation']);
  const { badge } = useSession();
  const { job } = stored;
  const { parts, status, problem, error, start, stop } = useGiveRun(badge, store, stored);
  /** The name of the file that was saved, or null. */
  const [savedAs, setSavedAs] = useState<string | null>(null);
  const [ending, setEnding] = useState<PersonLine[] | null>(null);
  const mail = useMail();
  const headingRef = useRef<HTMLHeadingElement>(null);
  const startRef = useRef(start);
  startRef.current = start;

  useEffect(() => {
    if (isNew) startRef.current();
    headingRef.current?.focus();
  }, [isNew]);

  const outcomes = useMemo(() => collectOutcomes(parts), [parts]);
  const counts = useMemo(() => countStatuses(outcomes), [outcomes]);
  // People for whom nothing is left to do are counted below, not in the progress.
  const total = useMemo(() => countPeople(parts), [parts]);
  const told = useMemo(() => countTold(job.people, outcomes), [job, outcomes]);
  const done = outcomes.size - (job.people.length - total);
  const isFinished = status === 'finished';
  const leftLines = [
    ...job.people.filter((_, place) => outcomes.get(place)?.status === 'refused'),
    ...job.wrongLines.map(({ problem: _, ...line }) => line),
  ];

  function save(): void {
    const claimUrl = toClaimUrl(publicUrl);
    const rows = toJobRows(
      job,
      (place) => {
        const outcome = outcomes.get(place);
        return { link: linkOf(outcome, claimUrl, publicUrl), result: describe(outcome) };
      },
      (what) => t(`give.problems.${what}`),
    );
    const name = `badge-${token.tokenId}-given-${formatFileTime(new Date())}.csv`;
    saveFile(name, toCsv(rows));
    setSavedAs(name);
  }

  function describe(outcome: Outcome | undefined): string {
    if (outcome === undefined) return t('give.job.waiting');
    if (outcome.status === 'skipped') {
      return outcome.reason === 'repeated' ? t('give.job.repeated') : t(`give.effects.${outcome.reason}`);
    }
    if (outcome.status === 'refused')
      return t('give.job.refusedBecause', { detail: describeRefusal(outcome, t) });
    return t(`give.job.outcomes.${outcome.status}`);
  }

  /** Asks first if links would be lost. */
  function end(lines: PersonLine[]): void {
    if (counts.linked > 0 && savedAs === null) setEnding(lines);
    else onEnd(lines);
  }

  const refused = job.people.flatMap((person, place) => {
    const outcome = outcomes.get(place);
    return outcome?.status === 'refused' ? [{ person, outcome }] : [];
  });
  // Without links, nothing is lost with the file.
  const mailed = counts.invited + counts.told;
  const isFileNext = isFinished && savedAs === null && (counts.linked > 0 || mailed === 0);
  return (
    <>
      <Card className={styles.part}>
        <h2 ref={headingRef} tabIndex={-1} className={styles.heading}>
          {t(`give.job.title.${status}`)}
        </h2>
        <VisuallyHidden role="status">{t(`give.job.title.${status}`)}</VisuallyHidden>
        <div className={styles.progress}>
          <p className={styles.count}>{t('give.job.progress', { done, total })}</p>
          <progress
            className={styles.bar}
            data-finished={isFinished || undefined}
            aria-label={t('give.job.bar')}
            value={total === 0 ? 1 : done}
            max={Math.max(1, total)}
          />
        </div>
        <ul className={`plain-list ${styles.counts}`}>
          {COUNTED.filter((name) => counts[name] > 0).map((name) => (
            <li key={name}>{t(`give.job.counts.${name}`, { count: counts[name] })}</li>
          ))}
          {SKIPPED.filter((reason) => counts.skipped[reason] > 0).map((reason) => (
            <li key={reason}>{t(`give.job.skipped.${reason}`, { count: counts.skipped[reason] })}</li>
          ))}
          {job.wrongLines.length > 0 && (
            <li>{t('give.job.counts.wrong', { count: job.wrongLines.length })}</li>
          )}
        </ul>
        {problem !== null && (
          <Notice tone="warning" isLive title={t(`translation:claim.problems.${problem}.title`)}>
            {t(`translation:claim.problems.${problem}.text`)}
          </Notice>
        )}
        {error !== null && (
          <Notice tone="error" isLive title={t('give.job.failed')}>
            {describeError(error, t)}
          </Notice>
        )}
        {status === 'running' && <p className={styles.muted}>{t('give.job.keepOpen')}</p>}
        {status === 'stopped' && <p>{t('give.job.continueText')}</p>}
        {status === 'elsewhere' && <p>{t('give.job.elsewhereText')}</p>}
        {isFinished && mailed > 0 && (
          <p>{t(mail === 'kept' ? 'give.delivery.kept' : 'give.job.invitedText')}</p>
        )}
        {isFinished && (
          <NotificationPart
            counts={told}
            sendAtTimestamp={job.invitation?.sendAtTimestamp ?? null}
            claimUrl={toClaimUrl(publicUrl)}
          />
        )}
        {isFinished && counts.invited > 0 && counts.linked === 0 && job.isAllowlisted && (
          <p className={styles.muted}>{t('give.job.printInvited')}</p>
        )}
        {isFinished && counts.linked > 0 && savedAs === null && (
          <Notice tone="warning">{t('give.job.saveText')}</Notice>
        )}
        {isFinished && savedAs !== null && (
          <Notice tone="success" isLive>
            {t(counts.linked > 0 || mailed === 0 ? 'give.job.savedText' : 'give.job.savedOnly', {
              name: savedAs,
            })}
          </Notice>
        )}
        {refused.length > 0 && (
          <section className={styles.refused} aria-label={t('give.job.refused')}>
            <h3>{t('give.job.refused')}</h3>
            <ul>
              {refused.slice(0, MAX_SHOWN).map(({ person, outcome }) => (
                <li key={keyOfLine(person)}>
                  <bdi>{person.recipient || person.name}</bdi>: <bdi>{describeRefusal(outcome, t)}</bdi>
                </li>
              ))}
            </ul>
            {refused.length > MAX_SHOWN && <p>{t('give.job.more', { count: refused.length - MAX_SHOWN })}</p>}
          </section>
        )}
        <div className={styles.actions}>
          {status === 'running' && <Button onClick={stop}>{t('give.job.stop')}</Button>}
          {(status === 'stopped' || status === 'elsewhere') && (
            <Button variant="primary" onClick={start}>
              {t('give.job.continue')}
            </Button>
          )}
          {outcomes.size > 0 && (
            <Button variant={isFileNext ? 'primary' : 'secondary'} onClick={save}>
              {t('give.job.save')}
            </Button>
          )}
          {isFinished && counts.linked > 0 && (
            <ButtonLink isExternal href={`/claim/${token.tokenId}/print`} target="_blank" rel="noopener">
              {t('links.created.print')}
            </ButtonLink>
          )}
          {isFinished && leftLines.length > 0 && (
            <Button onClick={() => end(leftLines)}>
              {t('give.job.correct', { count: leftLines.length })}
            </Button>
          )}
          {isFinished && <Button onClick={() => end([])}>{t('give.job.end')}</Button>}
          {isFinished && <ButtonLink href={`/badges/${token.tokenId}`}>{t('give.job.toPeople')}</ButtonLink>}
          {status === 'stopped' && (
            <Button variant="quiet" onClick={() => setEnding([])}>
              {t('give.job.giveUp')}
            </Button>
          )}
        </div>
        {ending !== null && (
          <ActionDialog
            title={t(isFinished ? 'give.job.endDialog.title' : 'give.job.giveUpDialog.title')}
            submitLabel={t(isFinished ? 'give.job.endDialog.submit' : 'give.job.giveUpDialog.submit')}
            isDangerous
            onSubmit={async () => onEnd(ending)}
            onClose={() => setEnding(null)}
          >
            <p>{t(isFinished ? 'give.job.endDialog.text' : 'give.job.giveUpDialog.text')}</p>
          </ActionDialog>
        )}
      </Card>
      {isFinished && job.invitation && (
        <Card className={styles.part}>
          <GivenPeople token={token} />
        </Card>
      )}
    </>
  );
}

/** What becomes of the people, while mails are sent. */
function GivenPeople({ token }: { token: Token }) {
  const [version, setVersion] = useState(0);
  const eventCount = useBadgeEvents(token.tokenId);
  const onChange = () => setVersion((last) => last + 1);
  // The file that matters here is that of the job.
  return <PeopleList hasFile={false} {...{ token, version, eventCount, onChange }} />;
}

/** Says in the language of the page why the service has refused somebody, if it is known. */
function describeRefusal(
  { error, detail }: { error: string; detail: string },
  t: TFunction<'console'>,
): string {
  const problem = (Object.keys(EMAIL_PROBLEMS) as EmailProblem[]).find(
    (name) => EMAIL_PROBLEMS[name] === detail,
  );
  if (problem !== undefined) return t(`give.problems.${problem === 'form' ? 'badEmail' : problem}`);
  return t(`problems.${error as 'slow'}`, { defaultValue: detail });
}

/** A time in the name of a file, such as `2026-11-25-183000`, so that each file has another name. */
function formatFileTime(at: Date): string {
  const [year, ...others] = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  const two = (part: number) => String(part).padStart(2, '0');
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join('');
  return [year, ...others.map(two), time].join('-');
}

type Counts = Record<(typeof COUNTED)[number], number> & {
  skipped: Record<(typeof SKIPPED)[number], number>;
};

function countStatuses(outcomes: ReadonlyMap<number, Outcome>): Counts {
  const skipped = { has: 0, listed: 0, linked: 0, invited: 0, failed: 0, unsubscribed: 0, repeated: 0 };
  const counts = { given: 0, listed: 0, told: 0, linked: 0, invited: 0, refused: 0, skipped };
  for (const outcome of outcomes.values()) {
    if (outcome.status === 'skipped') skipped[outcome.reason] += 1;
    else counts[outcome.status] += 1;
  }
  return counts;
}

/** Where the person goes: to claim the badge, or to see it. */
function linkOf(outcome: Outcome | undefined, claimUrl: string, publicUrl: string): string {
  switch (outcome?.status) {
    case 'linked':
      return outcome.url;
    case 'listed':
    case 'told':
      return claimUrl;
    case 'given':
      return publicUrl;
    case 'skipped':
      if (outcome.reason === 'has') return publicUrl;
      return outcome.reason === 'listed' ? claimUrl : '';
    default:
      return '';
  }
}
