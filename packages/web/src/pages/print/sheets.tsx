import type { Token } from '@badge/sdk';
import { type ReactNode, useMemo } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { QrCode } from '../../design/qr-code.tsx';
import { formatRoomCode } from '../claim/claim-code.ts';
import { CARDS_PER_SHEET, type CardSize, type PaperName } from './paper.ts';
import type { PrintedCode } from './read-codes.ts';
import styles from './sheets.module.css';

interface PosterSheetProps {
  token: Token;
  community: string;
  /** The claim page of the token. */
  url: string;
  /** The code of a room, which the QR code contains; null if there is none. */
  roomCode: string | null;
  paper: PaperName;
}

/** A sheet with one QR code, which everyone scans. The code takes all the space that the texts leave. */
export function PosterSheet({ token, community, url, roomCode, paper }: PosterSheetProps) {
  const { t } = useTranslation('print');
  const { headline, imageUrl, nftTypeId } = token;
  return (
    <Sheet paper={paper}>
      <div className={styles.poster}>
        <div className={styles.posterHead}>
          <BadgePicture url={imageUrl} alt="" design={nftTypeId} isMain className={styles.picture} />
          <div>
            <p className={styles.posterHeadline} dir="auto">
              {headline}
            </p>
            <p className={styles.posterCommunity} dir="auto">
              {community}
            </p>
          </div>
        </div>
        <QrCode
          text={roomCode === null ? url : `${url}#${roomCode}`}
          label={t('qr', { url })}
          className={styles.posterQr}
        />
        <p className={styles.posterCall}>{t('scan')}</p>
        <p className={styles.posterUrl}>
          <TypedUrl i18nKey={roomCode === null ? 'orOpen' : 'scanCard'} url={url} />
        </p>
        {roomCode !== null && (
          <p className={styles.posterCode} dir="ltr">
            {formatRoomCode(roomCode)}
          </p>
        )}
      </div>
    </Sheet>
  );
}

interface CardSheetsProps {
  codes: readonly PrintedCode[];
  headline: string;
  /** The claim page of the token, without a code. */
  url: string;
  paper: PaperName;
  cardSize: CardSize;
  /** Whether a card has a line that says whom it is for. */
  hasNames: boolean;
}

/** Sheets with a card per code, and lines to cut along. */
export function CardSheets({ codes, headline, url, paper, cardSize, hasNames }: CardSheetsProps) {
  const { t } = useTranslation('print');
  const perSheet = CARDS_PER_SHEET[cardSize];
  const sheets = useMemo(() => {
    const numbered = codes.map((code, index) => ({ ...code, number: index + 1 }));
    return Array.from({ length: Math.ceil(codes.length / perSheet) }, (_, index) =>
      numbered.slice(index * perSheet, (index + 1) * perSheet),
    );
  }, [codes, perSheet]);
  return sheets.map((cards, index) => (
    <Sheet
      key={cards[0]?.code}
      paper={paper}
      caption={t('sheet', { number: index + 1, total: sheets.length })}
    >
      <ul className={joinClasses('plain-list', styles.cards, styles[cardSize])}>
        {cards.map(({ code, name, number }) => (
          <li key={code} className={styles.card}>
            <p className={styles.headline} dir="auto">
              {headline}
            </p>
            <QrCode text={`${url}#${code}`} label={t('qrOfCode', { number })} className={styles.qr} />
            {hasNames && (
              <p className={styles.name} dir="auto">
                {name ?? '\u00a0'}
              </p>
            )}
            <p className={styles.call}>
              <TypedUrl i18nKey="scanCard" url={url} />
            </p>
            <p className={styles.code} dir="ltr">
              {groupCharacters(code)}
            </p>
            <p className={styles.number}>{number}</p>
          </li>
        ))}
        {/* The other places of the sheet have lines to cut along too. */}
        {Array.from({ length: perSheet - cards.length }, (_, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the places are equal.
          <li key={place} className={styles.card} aria-hidden="true" />
        ))}
      </ul>
    </Sheet>
  ));
}

/** A sentence with the URL that a person without a camera types. The URL is written without `https://`. */
function TypedUrl({ i18nKey, url }: { i18nKey: 'orOpen' | 'scanCard'; url: string }) {
  return (
    <Trans
      ns="print"
      i18nKey={i18nKey}
      components={{
        url: (
          <bdi className={styles.url} dir="ltr">
            {url.replace(/^https?:\/\//, '')}
          </bdi>
        ),
      }}
    />
  );
}

/** A sheet of paper. On the screen it is smaller. */
function Sheet({ paper, caption, children }: { paper: PaperName; caption?: string; children: ReactNode }) {
  return (
    <figure className={styles.frame}>
      <div className={joinClasses(styles.sheet, styles[paper])}>{children}</div>
      {caption !== undefined && <figcaption className={styles.caption}>{caption}</figcaption>}
    </figure>
  );
}

/** Groups the 26 characters of a code as 6-5-5-5-5, so that a person can type them. */
function groupCharacters(code: string): string {
  return code.replace(/^(.{6})(.{5})(.{5})(.{5})/, '$1-$2-$3-$4-');
}
