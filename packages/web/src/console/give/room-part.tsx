import type { CreatedClaimLink, Token } from '@badge/sdk';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Notice } from '../../design/notice.tsx';
import { QrCode } from '../../design/qr-code.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { useSession } from '../session/session.ts';
import { type CreatorKey, signForCreator } from '../signer/creator-signer.ts';
import { SignButtons } from '../signer/sign-buttons.tsx';
import { TextField } from '../text-field.tsx';
import styles from './give-page.module.css';

const HOUR_MS = 3_600_000;
const LIFETIMES = [2, 24, 168, 720] as const;
const MIN_PEOPLE = 2;
const MAX_PEOPLE = 1_000_000;

/** One link for everybody in a room. */
export function RoomPart({ token, creatorKey }: { token: Token; creatorKey: CreatorKey | null }) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId, headline } = token;
  const [people, setPeople] = useState('30');
  const [hours, setHours] = useState('2');
  const [isChecked, setIsChecked] = useState(false);
  const [link, setLink] = useState<CreatedClaimLink | null>(null);
  /** A request that is sent again replaces its link, so that there are never two. */
  const requestRef = useRef<{
    form: string;
    idempotencyKey: string;
    expiresAtTimestamp: number;
    signature: string;
  }>(undefined);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const maxClaims = Number(people);
  const isWrong = !Number.isInteger(maxClaims) || maxClaims < MIN_PEOPLE || maxClaims > MAX_PEOPLE;

  useEffect(() => {
    if (link !== null) headingRef.current?.focus();
  }, [link]);

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

  if (link !== null) {
    return (
      <Card className={styles.part}>
        <h2 ref={headingRef} tabIndex={-1} className={styles.heading}>
          {t('give.room.made')}
        </h2>
        <Notice tone="warning">{t('give.room.once')}</Notice>
        <div className={styles.room}>
          <QrCode className={styles.qr} text={link.url} label={t('room.qr', { headline })} />
          <div className={styles.roomText}>
            <p className={styles.code}>
              <bdi dir="ltr">{link.code}</bdi>
            </p>
            <p className={styles.url}>
              <bdi dir="ltr">{link.url}</bdi> <CopyButton text={link.url} />
            </p>
            <div className={styles.actions}>
              <ButtonLink variant="primary" href={`/badges/${tokenId}/room/${link.claimLinkId}#${link.code}`}>
                {t('links.project')}
              </ButtonLink>
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
          const form = `${people}/${hours}`;
          if (requestRef.current?.form !== form) {
            requestRef.current = {
              form,
              idempotencyKey: crypto.randomUUID(),
              signature: await signForCreator(badge, token, creatorKey, wallet?.provider ?? null),
              expiresAtTimestamp: Date.now() + Number(hours) * HOUR_MS,
            };
          }
          const { idempotencyKey, expiresAtTimestamp, signature } = requestRef.current;
          const room = { tokenId, maxClaims, expiresAtTimestamp, signature };
          const { items } = await badge.createClaimLinks(room, { idempotencyKey });
          setLink(items[0] ?? null);
        }}
      />
    </Card>
  );
}
