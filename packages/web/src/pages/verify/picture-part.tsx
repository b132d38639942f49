import type { CredentialContent } from '@badge/credentials';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import type { CheckedFile } from './check-credential.ts';
import { cutText } from './cut-text.ts';
import { findShownPicture, type LoadedPicture, loadPicture } from './find-picture.ts';
import styles from './verify-page.module.css';

interface PicturePartProps {
  checked: CheckedFile;
  content: CredentialContent;
}

/**
 * The picture of the badge, if it is the one that was signed. A picture of another site is loaded only if the
 * person wants it, because the site then knows that somebody looks at this badge.
 */
export function PicturePart({ checked, content }: PicturePartProps) {
  const { t } = useTranslation('verify');
  const { picture } = content;
  const [loaded, setLoaded] = useState<LoadedPicture | null>(null);
  const host = picture === null || /^data:/i.test(picture.url) ? '' : new URL(picture.url).host;

  useEffect(() => {
    let isCurrent = true;
    setLoaded(null);
    findShownPicture(checked.bytes, picture).then((found) => {
      if (isCurrent) setLoaded(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [checked.bytes, picture]);
  useEffect(() => {
    if (loaded?.status !== 'shown' || !loaded.url.startsWith('blob:')) return;
    return () => URL.revokeObjectURL(loaded.url);
  }, [loaded]);

  if (picture === null) return null;
  return (
    <section className={styles.part}>
      <h3>{t('picture.title')}</h3>
      {loaded?.status === 'shown' && (
        <>
          <img className={styles.picture} src={loaded.url} alt={cutText(content.name)} />
          {!loaded.isSigned && <p className={styles.muted}>{t('picture.unsigned')}</p>}
        </>
      )}
      {loaded?.status === 'notOfFile' && <p>{t('picture.notOfFile')}</p>}
      {loaded?.status === 'changed' && <p>{t('picture.changed', { host })}</p>}
      {loaded?.status === 'unsupported' && <p>{t('picture.unsupported')}</p>}
      {loaded?.status === 'failed' && <p>{t('picture.failed', { host })}</p>}
      {(loaded?.status === 'elsewhere' || loaded?.status === 'notOfFile') && host !== '' && (
        <div>
          <Button size="small" onClick={async () => setLoaded(await loadPicture(picture))}>
            {t('picture.load', { host })}
          </Button>
        </div>
      )}
    </section>
  );
}
