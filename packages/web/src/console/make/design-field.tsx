import { LIMITS } from '@badge/protocol/limits';
import type { NftType } from '@badge/sdk';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BadgePicture } from '../../design/badge-picture.tsx';
import fieldStyles from '../../design/field.module.css';
import { FileButton } from '../../design/file-button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Notice } from '../../design/notice.tsx';
import { useFileDrop } from '../../design/use-file-drop.ts';
import type en from '../i18n/en.json';
import { describePictureError } from '../picture/describe-picture-error.ts';
import { PICTURE_TYPES, usePicture } from '../picture/use-picture.tsx';
import { useSession } from '../session/session.ts';
import styles from './make-page.module.css';

const VIDEO_TYPES = ['video/mp4', 'video/webm'];
const MAX_NAME_CHARACTERS = 200;

type BuiltInDesign = keyof typeof en.make.design.names;
type VideoProblem = 'videoType' | 'videoTooLarge';

interface DesignFieldProps {
  designs: readonly NftType[];
  value: string;
  error: string | null;
  onChange: (nftTypeId: string) => void;
  /** Called with a new design of the community. */
  onUpload: (design: NftType) => void;
}

/** The designs to choose from, and an upload for another one: a file that is chosen or dropped. */
export function DesignField({ designs, value, error, onChange, onUpload }: DesignFieldProps) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const id = useId();
  const { prepare, dialog } = usePicture();
  const [isBusy, setIsBusy] = useState(false);
  const [uploaded, setUploaded] = useState<File | null>(null);
  const [problem, setProblem] = useState<VideoProblem | { error: unknown } | null>(null);
  const { isDragging, place } = useFileDrop((file) => void upload(file));

  async function upload(file: File): Promise<void> {
    if (isBusy) return;
    const isVideo = file.type.startsWith('video/');
    if (isVideo && !VIDEO_TYPES.includes(file.type)) return setProblem('videoType');
    if (isVideo && file.size > LIMITS.assetBytes) return setProblem('videoTooLarge');
    setProblem(null);
    setIsBusy(true);
    try {
      const assetFile = isVideo ? file : await prepare(file);
      if (assetFile === null) return;
      setUploaded(assetFile);
      const name = [...file.name.replace(/\.\w+$/, '')].slice(0, MAX_NAME_CHARACTERS).join('').trim();
      const design = await badge.createNftType({
        communityId,
        name: name === '' ? t('make.design.unnamed') : name,
        assetFile,
      });
      onUpload(design);
    } catch (caught) {
      setProblem({ error: caught });
    } finally {
      setUploaded(null);
      setIsBusy(false);
    }
  }

  return (
    <fieldset
      className={styles.designs}
      data-invalid={error !== null || undefined}
      aria-describedby={`${id}-error`}
      {...place}
    >
      <legend className={fieldStyles.label}>{t('make.design.legend')}</legend>
      <div className={styles.designGrid}>
        {designs.map((design) => (
          <label key={design.nftTypeId} className={styles.design}>
            <input
              type="radio"
              name={id}
              value={design.nftTypeId}
              checked={design.nftTypeId === value}
              onChange={() => onChange(design.nftTypeId)}
            />
            <BadgePicture url={design.previewAssetUrl} alt="" design={design.nftTypeId} />
            <span className={styles.designName}>
              {design.isUserAdded ? (
                <bdi>{design.name}</bdi>
              ) : (
                t(`make.design.names.${design.nftTypeId as BuiltInDesign}`, { defaultValue: design.name })
              )}
            </span>
          </label>
        ))}
        {uploaded !== null && <UploadingDesign file={uploaded} />}
      </div>
      <div className={joinClasses(styles.drop, isDragging && styles.dragging)}>
        <p id={`${id}-hint`}>{t('make.design.uploadHint')}</p>
        <FileButton
          label={t('make.design.upload')}
          accept={[PICTURE_TYPES, ...VIDEO_TYPES].join()}
          isBusy={isBusy}
          aria-describedby={`${id}-hint`}
          onFile={(file) => void upload(file)}
        />
      </div>
      {dialog}
      {problem !== null && (
        <Notice tone="error" isLive>
          {typeof problem === 'string' ? t(`make.design.${problem}`) : describePictureError(problem.error, t)}
        </Notice>
      )}
      <div id={`${id}-error`} className={fieldStyles.error} role="alert" hidden={error === null}>
        {error}
      </div>
    </fieldset>
  );
}

/** The file while it is uploaded. A video is shown only afterwards. */
function UploadingDesign({ file }: { file: File }) {
  const { t } = useTranslation('console');
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!file.type.startsWith('image/')) return;
    const shown = URL.createObjectURL(file);
    setUrl(shown);
    return () => URL.revokeObjectURL(shown);
  }, [file]);
  return (
    <div className={styles.design} data-uploading>
      <div className={styles.uploading}>{url !== null && <img src={url} alt="" />}</div>
      <span className={styles.designName} role="status">
        {t('make.design.uploading')}
      </span>
    </div>
  );
}
