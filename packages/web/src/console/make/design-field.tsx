import type { NftType } from '@badge/sdk';
import { type DragEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BadgePicture } from '../../design/badge-picture.tsx';
import { Button } from '../../design/button.tsx';
import fieldStyles from '../../design/field.module.css';
import { joinClasses } from '../../design/join-classes.ts';
import { Notice } from '../../design/notice.tsx';
import { describeError } from '../describe-error.ts';
import type en from '../i18n/en.json';
import { useSession } from '../session/session.ts';
import styles from './make-page.module.css';

const FILE_TYPES = 'image/png,image/jpeg,image/webp,image/gif,video/mp4,video/webm';
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_NAME_CHARACTERS = 200;

type BuiltInDesign = keyof typeof en.make.design.names;
type FileProblem = 'fileType' | 'fileTooLarge';

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
  const fileRef = useRef<HTMLInputElement>(null);
  const [uploaded, setUploaded] = useState<File | null>(null);
  const [problem, setProblem] = useState<FileProblem | { error: unknown } | null>(null);
  const [isDragging, setIsDragging] = useState(false);

  async function upload(file: File | undefined): Promise<void> {
    if (file === undefined || uploaded !== null) return;
    if (!FILE_TYPES.split(',').includes(file.type)) return setProblem('fileType');
    if (file.size > MAX_FILE_BYTES) return setProblem('fileTooLarge');
    setProblem(null);
    setUploaded(file);
    try {
      const name = [...file.name.replace(/\.\w+$/, '')].slice(0, MAX_NAME_CHARACTERS).join('').trim();
      const design = await badge.createNftType({
        communityId,
        name: name === '' ? t('make.design.unnamed') : name,
        assetFile: file,
      });
      onUpload(design);
    } catch (caught) {
      setProblem({ error: caught });
    } finally {
      setUploaded(null);
    }
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsDragging(false);
    void upload(event.dataTransfer.files[0]);
  }

  return (
    <fieldset
      className={styles.designs}
      data-invalid={error !== null || undefined}
      aria-describedby={`${id}-error`}
      onDragOver={(event) => {
        event.preventDefault();
        setIsDragging(true);
      }}
      onDragLeave={() => setIsDragging(false)}
      onDrop={drop}
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
        <input
          ref={fileRef}
          hidden
          type="file"
          accept={FILE_TYPES}
          aria-label={t('make.design.upload')}
          onChange={(event) => {
            void upload(event.target.files?.[0]);
            // Otherwise a file that was changed could not be chosen again.
            event.target.value = '';
          }}
        />
        <Button
          isBusy={uploaded !== null}
          aria-describedby={`${id}-hint`}
          onClick={() => fileRef.current?.click()}
        >
          {t('make.design.upload')}
        </Button>
      </div>
      {problem !== null && (
        <Notice tone="error" isLive>
          {typeof problem === 'string' ? t(`make.design.${problem}`) : describeUpload(problem.error)}
        </Notice>
      )}
      <div id={`${id}-error`} className={fieldStyles.error} role="alert" hidden={error === null}>
        {error}
      </div>
    </fieldset>
  );

  function describeUpload(caught: unknown): string {
    const { name } = caught as { name?: unknown };
    return name === 'UnsupportedMediaType' ? t('make.design.fileType') : describeError(caught, t);
  }
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
