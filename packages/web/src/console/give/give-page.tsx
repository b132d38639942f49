import { BadgeApiError, type Environment, type Token } from '@badge/sdk';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'wouter';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Notice } from '../../design/notice.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { readAvailability } from '../../token/availability.ts';
import { isLocalHost, parseTokenId } from '../../urls.ts';
import { useLoaded } from '../../use-loaded.ts';
import { ConsoleNotFound } from '../console-not-found.tsx';
import { useSession } from '../session/session.ts';
import { CreatorNotice } from '../signer/creator-notice.tsx';
import { type CreatorKey, findCreatorKey, signForCreator } from '../signer/creator-signer.ts';
import { SignButtons } from '../signer/sign-buttons.tsx';
import { toClaimUrl } from './claim-url.ts';
import { DeliveryPart, isMessageTooLong, startDelivery } from './delivery-part.tsx';
import { changesList, planJob } from './give-job.ts';
import styles from './give-page.module.css';
import { type JobStore, openJobStore, type StoredJob } from './job-store.ts';
import { JobView } from './job-view.tsx';
import { type Judgement, judgeLines, type KnownPeople } from './judge-lines.ts';
import { PeopleInput } from './people-input.tsx';
import { PeopleTable } from './people-table.tsx';
import type { PersonLine } from './person-line.ts';
import { readKnownPeople, readWaitingPeople } from './read-known.ts';
import { RoomPart } from './room-part.tsx';
import { WaitingPart } from './waiting-part.tsx';

const NOBODY: KnownPeople = {
  holders: new Set(),
  contributors: new Map(),
  linked: new Set(),
  invitations: new Map(),
};
const KINDS = [
  'airdrop',
  'list',
  'link',
  'has',
  'listed',
  'linked',
  'invited',
  'failed',
  'unsubscribed',
  'repeated',
  'wrong',
] as const satisfies readonly Judgement['kind'][];
const NOBODY_WAITS = { lines: [], withoutLink: 0 };

interface Loaded {
  token: Token;
  publicUrl: string;
  /** Who signs for the list; null for an open badge, which has none. */
  creatorKey: CreatorKey | null;
  /** What the service does with mails. */
  mail: Environment['mail'];
}

/** Gives a badge to people on a list, or to everybody in a room. */
export default function GivePage() {
  const { t } = useTranslation('console');
  const { badge, communityId, communityIds, openCommunity, may } = useSession();
  const { tokenId: idInPath = '' } = useParams();
  const tokenId = parseTokenId(idInPath);
  const loaded = useLoaded(`give/${tokenId}`, async (signal): Promise<Loaded | null> => {
    if (tokenId === null) return null;
    const [token, { external_url: publicUrl }, { mail }] = await Promise.all([
      badge.getToken({ tokenId }, { signal }),
      badge.getTokenMetadata({ tokenId }, { signal }),
      badge.getEnvironment({ signal }),
    ]);
    const { isAllowlistRequired } = token.claimabilityAttributes;
    const isMember = communityIds.includes(token.communityId);
    const creatorKey = isAllowlistRequired && isMember ? await findCreatorKey(badge, token, signal) : null;
    return { token, publicUrl, creatorKey, mail };
  });

  // A link to a badge of another community of this person opens that community.
  const owner = loaded.status === 'loaded' ? loaded.value?.token.communityId : undefined;
  const isOther = owner !== undefined && owner !== communityId;
  const mayOpen = owner !== undefined && communityIds.includes(owner);
  useEffect(() => {
    if (isOther && mayOpen) openCommunity(owner);
  }, [isOther, mayOpen, owner, openCommunity]);

  if (loaded.status === 'loading' || (isOther && mayOpen)) return <LoadingBlock />;
  if (loaded.status === 'failed') {
    const isMissing = loaded.error instanceof BadgeApiError && loaded.error.status === 404;
    return isMissing ? (
      <ConsoleNotFound />
    ) : (
      <LoadError isPage error={loaded.error} onRetry={loaded.reload} />
    );
  }
  if (loaded.value === null || !mayOpen) return <ConsoleNotFound />;
  if (!may('issuer')) {
    return (
      <EmptyState isPage title={t('give.notAllowed.title')}>
        <p>{t('give.notAllowed.text')}</p>
      </EmptyState>
    );
  }
  return <GiveParts {...loaded.value} />;
}

function GiveParts({ token, publicUrl, creatorKey, mail }: Loaded) {
  const { t } = useTranslation('console');
  const { tokenId, headline, createdAtTimestamp } = token;
  usePageTitle(t('give.title', { headline }));
  /** The job that this page shows. Undefined until the stored one is read. */
  const [shown, setShown] = useState<{ stored: StoredJob; isNew: boolean } | null>();
  const [firstLines, setFirstLines] = useState<PersonLine[]>([]);
  const opened = useLoaded(`give/${tokenId}/store`, async () => {
    const store = await openJobStore();
    const stored = await store.find(tokenId);
    const isOld = stored !== null && stored.job.tokenCreatedAtTimestamp !== createdAtTimestamp;
    if (isOld) await store.remove(stored.job);
    return { store, stored: isOld ? null : stored };
  });
  if (opened.status === 'loading') return <LoadingBlock />;

  const job =
    opened.status === 'loaded' && shown === undefined && opened.value.stored !== null
      ? { stored: opened.value.stored, isNew: false }
      : (shown ?? null);
  const availability = readAvailability(token, Date.now());
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <p>
          <Link href={`/badges/${tokenId}`}>
            <bdi>{headline}</bdi>
          </Link>
        </p>
        <h1>{t('give.heading')}</h1>
        <p className={styles.muted}>{t(creatorKey === null ? 'give.leadOpen' : 'give.lead')}</p>
      </header>
      {isLocalHost(new URL(publicUrl).hostname) && (
        <Notice tone="warning">{t('give.onlyHere', { address: new URL(publicUrl).host })}</Notice>
      )}
      {creatorKey === 'wallet' && <CreatorNotice creator={token.createdByAddress} />}
      {availability === 'expired' && <Notice tone="warning">{t('give.expired')}</Notice>}
      {availability === 'exhausted' && <Notice tone="warning">{t('give.exhausted')}</Notice>}
      {opened.status === 'failed' && <Notice tone="error">{t('give.noStore')}</Notice>}
      {opened.status === 'loaded' && job !== null && (
        <JobView
          key={job.stored.job.jobId}
          token={token}
          publicUrl={publicUrl}
          store={opened.value.store}
          stored={job.stored}
          isNew={job.isNew}
          onEnd={(lines) => {
            void opened.value.store.remove(job.stored.job);
            setFirstLines(lines);
            setShown(null);
          }}
        />
      )}
      {opened.status === 'loaded' && job === null && (
        <ListPart
          token={token}
          creatorKey={creatorKey}
          mail={mail}
          store={opened.value.store}
          firstLines={firstLines}
          onJob={(stored, isNew) => setShown({ stored, isNew })}
        />
      )}
      <RoomPart token={token} claimUrl={toClaimUrl(publicUrl)} creatorKey={creatorKey} />
    </div>
  );
}

interface ListPartProps {
  token: Token;
  creatorKey: CreatorKey | null;
  mail: Environment['mail'];
  store: JobStore;
  /** Lines to correct, of a list that was given before. */
  firstLines: PersonLine[];
  onJob: (stored: StoredJob, isNew: boolean) => void;
}

function ListPart({ firstLines, ...rest }: ListPartProps) {
  // Each list that is read is another one.
  const [list, setList] = useState({ number: 0, lines: firstLines });
  const read = (lines: PersonLine[]) => setList(({ number }) => ({ number: number + 1, lines }));
  if (list.lines.length === 0) return <ListInput token={rest.token} mail={rest.mail} onRead={read} />;
  return <CheckedList key={list.number} {...rest} lines={list.lines} onClear={() => read([])} />;
}

/** The people on the list who need a link, if there are any, and the field for a list. */
function ListInput({
  token,
  mail,
  onRead,
}: {
  token: Token;
  mail: Environment['mail'];
  onRead: (lines: PersonLine[]) => void;
}) {
  const { badge } = useSession();
  const waiting = useLoaded(`give/${token.tokenId}/waiting`, async (signal) =>
    token.claimabilityAttributes.isAllowlistRequired ? await readWaitingPeople(badge, token, signal) : null,
  );
  const { lines, withoutLink } = (waiting.status === 'loaded' && waiting.value) || NOBODY_WAITS;
  return (
    <>
      {withoutLink > 0 && (
        <WaitingPart count={withoutLink} isInviting={mail === 'sent'} onSubmit={() => onRead(lines)} />
      )}
      <PeopleInput isNext={withoutLink === 0} onRead={onRead} />
    </>
  );
}

function CheckedList({
  token,
  creatorKey,
  mail,
  store,
  lines: readLines,
  onJob,
  onClear,
}: Omit<ListPartProps, 'firstLines'> & { lines: PersonLine[]; onClear: () => void }) {
  const { t, i18n } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId, claimabilityAttributes } = token;
  const [delivery, setDelivery] = useState(() => startDelivery(mail, i18n.language));
  const { isInviting } = delivery;
  const isAllowlisted = claimabilityAttributes.isAllowlistRequired;
  const [lines, setLines] = useState(readLines);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const known = useLoaded(`give/${tokenId}/known`, (signal) => readKnown(signal));
  const people = known.status === 'loaded' ? known.value : NOBODY;
  const judgements = useMemo(
    () => judgeLines(lines, isAllowlisted, people, isInviting),
    [lines, isAllowlisted, people, isInviting],
  );
  const counts = useMemo(() => countKinds(judgements), [judgements]);
  const getting = counts.airdrop + counts.list + counts.link;
  const remaining = claimabilityAttributes.remainingClaimCount;
  const mailed = lines.filter((_, index) => judgements[index]?.kind === 'link');

  useEffect(() => {
    headingRef.current?.focus();
  }, []);

  async function readKnown(signal: AbortSignal): Promise<KnownPeople> {
    const recipients = judgeLines(lines, isAllowlisted, NOBODY).flatMap((judgement) =>
      'recipient' in judgement ? [judgement.recipient] : [],
    );
    return await readKnownPeople(badge, { tokenId, isAllowlisted }, recipients, signal);
  }

  async function give(provider: Parameters<typeof signForCreator>[3]): Promise<void> {
    // Somebody else may have given it meanwhile.
    const latest = await readKnown(new AbortController().signal);
    const judged = judgeLines(lines, isAllowlisted, latest, isInviting);
    const mustSign = creatorKey !== null && changesList(judged, isAllowlisted);
    const signature = mustSign ? await signForCreator(badge, token, creatorKey, provider) : null;
    const stored = planJob(lines, judged, {
      tokenId,
      isAllowlisted,
      signature,
      invitation: isInviting ? { message: delivery.message.trim(), language: delivery.language } : null,
      tokenCreatedAtTimestamp: token.createdAtTimestamp,
    });
    // Another tab may have begun a list for this badge. Then that one is shown.
    const other = await store.find(tokenId);
    if (other === null) await store.add(stored);
    onJob(other ?? stored, other === null);
  }

  /** What the button does: people on a list can claim the badge, so they do not get it at once. */
  function describeSubmit(): string {
    const { airdrop, list, link } = counts;
    const first = isAllowlisted
      ? list > 0 && t('give.check.submit.list', { count: list })
      : airdrop > 0 && t('give.check.submit.airdrop', { count: airdrop });
    if (first === false) {
      if (link === 0) return t('give.check.submit.nothing');
      return t(isInviting ? 'give.check.submit.invite' : 'give.check.submit.link', { count: link });
    }
    if (link === 0) return first;
    return t(isInviting ? 'give.check.submit.withInvites' : 'give.check.submit.withLinks', {
      first,
      count: link,
    });
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
            judgements={judgements}
            isInviting={isInviting}
            onCorrect={(line, recipient) =>
              setLines((all) =>
                all.map((other) => (other.line === line.line ? { ...other, recipient } : other)),
              )
            }
            onRemove={(line) => {
              setLines((all) => all.filter((other) => other.line !== line.line));
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
              onChange={setDelivery}
              lines={mailed}
            />
          )}
          <SignButtons
            creatorKey={changesList(judgements, isAllowlisted) ? creatorKey : null}
            creator={token.createdByAddress}
            label={describeSubmit()}
            isPrimary
            isDisabled={getting === 0 || (isInviting && isMessageTooLong(delivery.message))}
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

function countKinds(judgements: readonly Judgement[]): Record<Judgement['kind'], number> {
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Judgement['kind'], number>;
  for (const { kind } of judgements) counts[kind] += 1;
  return counts;
}
