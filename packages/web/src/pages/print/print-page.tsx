import type { Token } from '@badge/sdk';
import { useDeferredValue, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { badge } from '../../api.ts';
import { Button, ButtonLink } from '../../design/button.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { CodeBlock } from '../../design/code-block.tsx';
import { CodeField } from '../../design/code-field.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { PrintIcon } from '../../design/icons.tsx';
import { Notice } from '../../design/notice.tsx';
import { usePageTitle } from '../../page-title.ts';
import { readAvailability } from '../../token/availability.ts';
import { useCommunityName } from '../../token/communities.ts';
import { isLocalHost } from '../../urls.ts';
import { findPastedCode, isRoomCode } from '../claim/claim-code.ts';
import { TokenPage } from '../token-page.tsx';
import { CodeInput } from './code-input.tsx';
import { CARDS_PER_SHEET, type CardSize, guessPaper, type PaperName, usePrintedPaper } from './paper.ts';
import styles from './print-page.module.css';
import { readCodes } from './read-codes.ts';
import { CardSheets, PosterSheet } from './sheets.tsx';

/** More QR codes would make the browser slow. */
const MAX_CODES = 2_000;

/**
 * A poster has one QR code for everyone, without a claim code or with that of a room. Each card has the QR
 * code of one claim code.
 */
type SheetKind = 'poster' | 'cards';

export default function PrintPage() {
  return <TokenPage load={readPrintedToken}>{(loaded) => <PrintForm {...loaded} />}</TokenPage>;
}

async function readPrintedToken(
  tokenId: number,
  signal: AbortSignal,
): Promise<{ token: Token; origin: string }> {
  const [token, metadata] = await Promise.all([
    badge.getToken({ tokenId }, { signal }),
    badge.getTokenMetadata({ tokenId }, { signal }),
  ]);
  // Its codes work at the corrected badge, too.
  const { replacedByTokenId } = token;
  if (replacedByTokenId !== null) return await readPrintedToken(replacedByTokenId, signal);
  return { token, origin: findPublicOrigin(metadata.external_url) };
}

/**
 * The origin of the URLs in the QR codes: the public address of the service, which the metadata of a token
 * contains. The organizer may have opened this page by another address, such as localhost. If the public
 * address contains a path, the QR codes lead to the origin of this page.
 */
function findPublicOrigin(tokenUrl: string): string {
  const { origin, pathname } = new URL(tokenUrl);
  return /^\/token\/\d+$/.test(pathname) ? origin : location.origin;
}

function PrintForm({ token, origin }: { token: Token; origin: string }) {
  const { t } = useTranslation('print');
  const { tokenId, headline, claimabilityAttributes } = token;
  // The console opens the page with the code of a room.
  const [roomText, setRoomText] = useState(() => findPastedCode(location.hash) ?? '');
  const [kind, setKind] = useState<SheetKind>(
    claimabilityAttributes.isAllowlistRequired && roomText === '' ? 'cards' : 'poster',
  );
  const [paper, setPaper] = useState<PaperName>(() => guessPaper(navigator.language));
  const [cardSize, setCardSize] = useState<CardSize>('medium');
  const [mayPrintNames, setMayPrintNames] = useState(true);
  const pastedCode = findPastedCode(roomText);
  const roomCode = pastedCode !== null && isRoomCode(pastedCode) ? pastedCode : null;
  // The codes are only in this state. They are neither sent nor stored.
  const [text, setText] = useState('');
  const deferredText = useDeferredValue(text);
  const nameId = useId();
  const community = useCommunityName(token.communityId);
  usePrintedPaper(paper);
  usePageTitle(t('title', { headline }));

  const { codes, invalidLines, isPeopleList, otherTokenId, walletCount } = useMemo(
    () => readCodes(deferredText, { tokenId, origins: [origin, location.origin] }),
    [deferredText, tokenId, origin],
  );
  const printedCodes = codes.slice(0, MAX_CODES);
  const hasAnyName = codes.some(({ name }) => name !== null);
  const claimUrl = `${origin}/claim/${tokenId}`;
  const sheetCount = kind === 'poster' ? 1 : Math.ceil(printedCodes.length / CARDS_PER_SHEET[cardSize]);
  const isLocal = isLocalHost(new URL(origin).hostname);

  return (
    <div className={styles.page}>
      <div className={styles.form}>
        <div className={styles.intro}>
          <p>
            <Link href={`/token/${tokenId}`}>
              <bdi>{headline}</bdi>
            </Link>
          </p>
          <h1>{t('heading')}</h1>
          <p className={styles.muted}>{t('text')}</p>
        </div>
        {isLocal && (
          <Notice tone="warning" title={t('local.title')}>
            {t('local.text', { origin })}
          </Notice>
        )}
        <TokenNotices token={token} kind={kind} hasRoomCode={roomCode !== null} />
        <ChoiceField
          legend={t('kind.label')}
          value={kind}
          onChange={setKind}
          choices={[
            { value: 'poster', label: t('kind.poster'), hint: t('kind.posterHint') },
            { value: 'cards', label: t('kind.cards'), hint: t('kind.cardsHint') },
          ]}
        />
        {kind === 'poster' && (
          <CodeField
            label={t('room.label')}
            hint={t('room.hint')}
            error={roomText.trim() !== '' && roomCode === null ? t('room.invalid') : null}
            value={roomText}
            onChange={setRoomText}
          />
        )}
        {kind === 'cards' && (
          <>
            <CodeInput
              text={text}
              onChange={setText}
              codeCount={codes.length}
              invalidLines={invalidLines}
              isPeopleList={isPeopleList}
              otherTokenId={otherTokenId}
              walletCount={walletCount}
              givePath={`/console/badges/${tokenId}/give`}
            />
            {text === '' && <CreateCodes token={token} origin={origin} />}
            {codes.length > MAX_CODES && <Notice tone="warning">{t('tooMany', { count: MAX_CODES })}</Notice>}
            <ChoiceField
              legend={t('size.label')}
              value={cardSize}
              onChange={setCardSize}
              isCompact
              choices={(['large', 'medium', 'small'] as const).map((size) => ({
                value: size,
                label: t(`size.${size}`),
                hint: t('size.count', { count: CARDS_PER_SHEET[size] }),
              }))}
            />
            {hasAnyName && (
              <label className={styles.check} htmlFor={nameId}>
                <input
                  id={nameId}
                  type="checkbox"
                  checked={mayPrintNames}
                  onChange={(event) => setMayPrintNames(event.target.checked)}
                />
                {t('names')}
              </label>
            )}
          </>
        )}
        <ChoiceField
          legend={t('paper')}
          value={paper}
          onChange={setPaper}
          isCompact
          choices={[
            { value: 'a4', label: 'A4' },
            { value: 'letter', label: 'Letter' },
          ]}
        />
        <PrintActions
          kind={kind}
          cardCount={printedCodes.length}
          sheetCount={sheetCount}
          leftOutCount={invalidLines.length}
          isLocal={isLocal}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll the sheets. */}
      <section className={styles.preview} aria-label={t('preview')} tabIndex={0}>
        {kind === 'poster' && (
          <PosterSheet token={token} community={community} url={claimUrl} roomCode={roomCode} paper={paper} />
        )}
        {kind === 'cards' && printedCodes.length === 0 && (
          <EmptyState title={t('none.title')}>
            <p>{t('none.text')}</p>
          </EmptyState>
        )}
        {kind === 'cards' && printedCodes.length > 0 && (
          <CardSheets
            codes={printedCodes}
            headline={headline}
            url={claimUrl}
            paper={paper}
            cardSize={cardSize}
            hasNames={mayPrintNames && hasAnyName}
          />
        )}
      </section>
    </div>
  );
}

interface PrintActionsProps {
  kind: SheetKind;
  cardCount: number;
  sheetCount: number;
  /** The number of lines without a code to print. */
  leftOutCount: number;
  /** Whether phones cannot open the codes. Then printing is not the main action. */
  isLocal: boolean;
}

/** The button that prints, and hints about the result. */
function PrintActions({ kind, cardCount, sheetCount, leftOutCount, isLocal }: PrintActionsProps) {
  const { t } = useTranslation('print');
  const hintId = useId();

  /** The label of the button, such as "Print 4 cards (1 line left out)". */
  function labelOfButton(): string {
    if (sheetCount === 0) return t('printNone');
    if (kind === 'poster') return t('printPoster');
    const action = t('printCards', { count: cardCount });
    if (leftOutCount === 0) return action;
    return `${action} (${t('leftOut', { count: leftOutCount })})`;
  }

  return (
    <div className={styles.actions}>
      <Button
        variant={isLocal ? 'secondary' : 'primary'}
        size="large"
        isDisabled={sheetCount === 0}
        aria-describedby={hintId}
        onClick={() => window.print()}
      >
        <PrintIcon />
        {labelOfButton()}
      </Button>
      <div id={hintId} className={styles.printHint}>
        {sheetCount > 0 && isLocal && <p>{t('local.reminder')}</p>}
        {kind === 'cards' && sheetCount > 0 && <p>{t('sheets', { count: sheetCount })}</p>}
        <p>{sheetCount === 0 ? t('codesMissing') : t('scaleHint')}</p>
      </div>
    </div>
  );
}

/**
 * How an organizer without codes gets some: in the console. Who has no access to it sends a message with a
 * command to the person who has the key of the community.
 */
function CreateCodes({ token, origin }: { token: Token; origin: string }) {
  const { t } = useTranslation('print');
  const titleId = useId();
  const { tokenId, headline, claimabilityAttributes } = token;
  const { isAllowlistRequired } = claimabilityAttributes;
  const body = isAllowlistRequired ? '{"identifiers":["ada@example.org"]}' : '{"count":20}';
  const command = `curl '${origin}/v1/tokens/${tokenId}/claimLinks' \\
  -H 'Authorization: Bearer API_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '${body}' \\
  -o claim-codes.json`;
  const request = t(isAllowlistRequired ? 'create.requestListed' : 'create.request', {
    headline,
    id: tokenId,
  });
  return (
    <section className={styles.create} aria-labelledby={titleId}>
      <h2 id={titleId}>{t('create.title')}</h2>
      <ol className={styles.steps}>
        <li>{t('create.give')}</li>
        <li>{t('create.save')}</li>
        <li>{t('create.drop')}</li>
      </ol>
      <div>
        <ButtonLink isExternal size="small" href={`/console/badges/${tokenId}/give`}>
          {t('people.give')}
        </ButtonLink>
      </div>
      <p className={styles.muted}>{t(isAllowlistRequired ? 'create.noConsoleListed' : 'create.noConsole')}</p>
      <div>
        <CopyButton text={`${request}\n\n${command}`} label={t('create.copy')} />
      </div>
      <details className={styles.message}>
        <summary>{t('create.show')}</summary>
        <p dir="auto">{request}</p>
        <CodeBlock title="sh" code={command} />
      </details>
    </section>
  );
}

/** Says what people need besides a code, and when a sheet is of no use to them. */
function TokenNotices({ token, kind, hasRoomCode }: { token: Token; kind: SheetKind; hasRoomCode: boolean }) {
  const { t } = useTranslation(['print', 'translation']);
  const availability = readAvailability(token, Date.now());
  return (
    <>
      {availability === 'expired' && <Notice tone="warning">{t('translation:badge.expired')}</Notice>}
      {availability === 'exhausted' && <Notice tone="warning">{t('noneLeft')}</Notice>}
      {availability === 'allowlisted' && !(kind === 'poster' && hasRoomCode) && (
        <Notice tone={kind === 'poster' ? 'warning' : 'info'} title={t('listed.title')}>
          {t('listed.text')}
        </Notice>
      )}
      {token.claimabilityAttributes.isSignatureRequired && (
        <Notice tone="info" title={t('signature.title')}>
          {t('signature.text')}
        </Notice>
      )}
    </>
  );
}
