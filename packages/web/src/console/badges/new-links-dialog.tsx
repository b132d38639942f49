import type { CreatedClaimLink, Token } from '@badge/sdk';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import dialogStyles from '../../design/action-dialog.module.css';
import { Button, ButtonLink } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Notice } from '../../design/notice.tsx';
import { TextField } from '../../design/text-field.tsx';
import { useModal } from '../../design/use-modal.ts';
import { makeRandomId } from '../../random-id.ts';
import { saveFile } from '../../save-file.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { useIsPaused, useSession } from '../session/session.ts';
import { toCsv } from '../to-csv.ts';
import styles from './badge-page.module.css';

const MAX_LINKS = 1_000;
/** More links are only in the file. */
const MAX_SHOWN = 5;

interface NewLinksDialogProps {
  token: Token;
  /** Whom the link is for. Null for links of an open badge, which are for anybody. */
  identifier: string | null;
  onDone: () => void;
  onClose: () => void;
}

/** Makes claim links, and shows them once: the service does not store the codes. */
export function NewLinksDialog({ token: { tokenId }, identifier, onDone, onClose }: NewLinksDialogProps) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const [count, setCount] = useState('10');
  const [isChecked, setIsChecked] = useState(false);
  const [links, setLinks] = useState<readonly CreatedClaimLink[] | null>(null);
  const [idempotencyKey] = useState(() => makeRandomId());
  const number = Number(count);
  const isCountWrong = !Number.isInteger(number) || number < 1 || number > MAX_LINKS;

  if (links !== null) return <CreatedLinks tokenId={tokenId} links={links} onClose={onClose} />;
  return (
    <ActionDialog
      title={t('links.new.title')}
      submitLabel={t('links.new.submit')}
      onSubmit={async () => {
        setIsChecked(true);
        if (identifier === null && isCountWrong) throw new FieldError();
        const people = identifier === null ? { count: number } : { identifiers: [identifier] };
        const { items } = await badge.createClaimLinks({ tokenId, ...people }, { idempotencyKey });
        setLinks(items);
        onDone();
      }}
      // After a success, the links take the place of the form.
      onClose={(isDone) => {
        if (!isDone) onClose();
      }}
    >
      {identifier === null ? (
        <>
          <p>{t('links.new.text')}</p>
          <TextField
            label={t('links.new.count')}
            type="number"
            min={1}
            max={MAX_LINKS}
            value={count}
            error={isChecked && isCountWrong ? t('links.new.countWrong', { max: MAX_LINKS }) : null}
            onChange={(event) => setCount(event.target.value)}
          />
        </>
      ) : (
        <>
          <p>
            <bdi>{identifier}</bdi>
          </p>
          <p>{t('links.new.oldStay')}</p>
        </>
      )}
    </ActionDialog>
  );
}

function CreatedLinks({
  tokenId,
  links,
  onClose,
}: {
  tokenId: number;
  links: readonly CreatedClaimLink[];
  onClose: () => void;
}) {
  const { t } = useTranslation('console');
  const titleId = useId();
  const dialogRef = useModal(useIsPaused());
  const save = () =>
    saveFile(
      `badge-${tokenId}-links.csv`,
      toCsv([
        ['identifier', 'url', 'code'],
        ...links.map(({ identifier, url, code }) => [identifier ?? '', url, code]),
      ]),
    );
  return (
    <dialog ref={dialogRef} className={dialogStyles.dialog} aria-labelledby={titleId} onCancel={onClose}>
      <div className={dialogStyles.form}>
        <h2 id={titleId}>{t('links.created.title', { count: links.length })}</h2>
        <Notice tone="warning">{t('links.created.once')}</Notice>
        <ul className={`plain-list ${styles.links}`}>
          {links.slice(0, MAX_SHOWN).map(({ claimLinkId, url }) => (
            <li key={claimLinkId} className={styles.link}>
              <bdi dir="ltr">{url}</bdi>
              <CopyButton text={url} />
            </li>
          ))}
        </ul>
        {links.length > MAX_SHOWN && <p>{t('links.created.more', { count: links.length - MAX_SHOWN })}</p>}
        <div className={dialogStyles.actions}>
          <ButtonLink isExternal href={`/claim/${tokenId}/print`} target="_blank" rel="noopener">
            {t('links.created.print')}
          </ButtonLink>
          <Button onClick={save}>{t('links.created.save')}</Button>
          <Button variant="primary" onClick={onClose}>
            {t('dialog.close')}
          </Button>
        </div>
      </div>
    </dialog>
  );
}
