import type { Token } from '@badge/sdk';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Notice } from '../../design/notice.tsx';
import { QrCode } from '../../design/qr-code.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { TextField } from '../../design/text-field.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { findRoomLink } from '../room/find-room-link.ts';
import { ProjectorLink } from '../room/projector-link.tsx';
import { findKeptRoom } from '../room/room-code.ts';
import { useRoomMaker } from '../room/use-room-maker.ts';
import { useSession } from '../session/session.ts';
import type { CreatorKey } from '../signer/creator-signer.ts';
import { SignButtons } from '../signer/sign-buttons.tsx';
import styles from './give-page.module.css';

const HOUR_MS = 3_600_000;
const LIFETIMES = [2, 24, 168, 720] as const;
const MIN_PEOPLE = 2;
const MAX_PEOPLE = 1_000_000;

/** With one of these, people can claim with a link, or will be able to. */
const OPEN_STATUSES: readonly string[] = ['unused', 'paused', 'notStarted'];

interface RoomPartProps {
  token: Token;
  /** The page where people claim, such as `https://badge.example/claim/7`. */
  claimUrl: string;
  creatorKey: CreatorKey | null;
}

/** One link for everybody in a room. */
export function RoomPart({ token, claimUrl, creatorKey }: RoomPartProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const [people, setPeople] = useState('30');
  const [hours, setHours] = useState('2');
  const [isChecked, setIsChecked] = useState(false);
  const { tokenId, headline } = token;
  /** The link that was made in this tab, perhaps before the page was left. */
  const [room, setRoom] = useState(() => findKeptRoom(tokenId));
  const [isNew, setIsNew] = useState(false);
  const makeRoom = useRoomMaker(token, creatorKey ?? 'wallet');
  const headingRef = useRef<HTMLHeadingElement>(null);
  const maxClaims = Number(people);
  const isWrong = !Number.isInteger(maxClaims) || maxClaims < MIN_PEOPLE || maxClaims > MAX_PEOPLE;

  useEffect(() => {
    if (isNew) headingRef.current?.focus();
  }, [isNew]);
  // A link that was made before may have been revoked, or have ended. Then another one is to be made.
  const kept = useLoaded(`give/${tokenId}/room/${isNew ? '' : room?.claimLinkId}`, async (signal) => {
    if (isNew || room === null) return null;
    return await findRoomLink(badge, tokenId, room.claimLinkId, signal);
  });
  const isOpen = kept.status === 'loaded' && OPEN_STATUSES.includes(kept.value?.link.status ?? '');

  if (creatorKey === null) {
    return (
      <Card className={styles.part}>
        <h2>{t('give.room.title')}</h2>
        <p>{t('give.room.open')}</p>
        <div className={styles.actions}>
          <ButtonLink isExternal href={`/claim/${tokenId}/print`}>
            {t('give.room.poster')}
          </ButtonLink>
        </div>
      </Card>
    );
  }

  if (!isNew && room !== null && kept.status === 'loading') {
    return (
      <Card className={styles.part}>
        <h2>{t('give.room.title')}</h2>
        <LoadingBlock />
      </Card>
    );
  }

  if (room !== null && (isNew || isOpen)) {
    const { claimLinkId, code } = room;
    const url = `${claimUrl}#${code}`;
    return (
      <Card className={styles.part}>
        <h2 ref={headingRef} tabIndex={-1} className={styles.heading}>
          {t('give.room.made')}
        </h2>
        <Notice tone="warning">{t('give.room.once')}</Notice>
        <div className={styles.room}>
          <QrCode className={styles.qr} text={url} label={t('room.qr', { headline })} />
          <div className={styles.roomText}>
            <p className={styles.code}>
              <bdi dir="ltr">{code}</bdi>
            </p>
            <p className={styles.url}>
              <bdi dir="ltr">{url}</bdi> <CopyButton text={url} />
            </p>
            <div className={styles.actions}>
              <ProjectorLink variant="primary" tokenId={tokenId} claimLinkId={claimLinkId} />
              <ButtonLink isExternal href={`/claim/${tokenId}/print#${code}`} target="_blank" rel="noopener">
                {t('give.room.poster')}
              </ButtonLink>
              <Button
                onClick={() => {
                  setRoom(null);
                  setIsNew(false);
                }}
              >
                {t('give.room.another')}
              </Button>
            </div>
          </div>
        </div>
      </Card>
    );
  }

  return (
    <Card className={styles.part}>
      <h2>{t('give.room.title')}</h2>
      <p className={styles.muted}>{t('give.room.text')}</p>
      <div className={styles.fields}>
        <TextField
          label={t('give.room.people')}
          type="number"
          min={MIN_PEOPLE}
          max={MAX_PEOPLE}
          value={people}
          error={
            isChecked && isWrong ? t('give.room.peopleWrong', { min: MIN_PEOPLE, max: MAX_PEOPLE }) : null
          }
          onChange={(event) => setPeople(event.target.value)}
        />
        <SelectField
          label={t('give.room.lifetime')}
          value={hours}
          onChange={(event) => setHours(event.target.value)}
        >
          {LIFETIMES.map((value) => (
            <option key={value} value={value}>
              {t(`give.room.lifetimes.${value}`)}
            </option>
          ))}
        </SelectField>
      </div>
      <SignButtons
        creatorKey={creatorKey}
        creator={token.createdByAddress}
        label={t('give.room.submit')}
        onSubmit={async (wallet) => {
          setIsChecked(true);
          if (isWrong) return;
          const made = await makeRoom({ maxClaims, lifetimeMs: Number(hours) * HOUR_MS }, wallet);
          if (made === null) return;
          setRoom({ claimLinkId: made.claimLinkId, code: made.code });
          setIsNew(true);
        }}
      />
    </Card>
  );
}
