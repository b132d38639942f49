import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileButton } from '../../design/file-button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import styles from './verify-page.module.css';

const FILE_TYPES = '.json,.png,application/json,application/vc+json,image/png';

/** A button to choose a file. A file can be dropped anywhere on the page. */
export function FileInput({ fileName, onFile }: { fileName: string | null; onFile: (file: File) => void }) {
  const { t } = useTranslation('verify');
  const isDragging = useDroppedFile(onFile);

  return (
    <div className={joinClasses(styles.drop, isDragging && styles.isDragging)}>
      <FileButton
        variant="primary"
        label={t('file.choose')}
        accept={FILE_TYPES}
        fileName={fileName}
        onFile={onFile}
      />
      <p className={styles.muted}>{isDragging ? t('file.drop') : t('file.hint')}</p>
    </div>
  );
}

/** Calls `onFile` with a file that is dropped on the page. Returns whether one is being dragged over it. */
function useDroppedFile(onFile: (file: File) => void): boolean {
  const [isDragging, setIsDragging] = useState(false);
  const onFileRef = useRef(onFile);
  onFileRef.current = onFile;

  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setIsDragging(true);
    };
    const leave = (event: DragEvent) => {
      // Without a related target, the pointer has left the window.
      if (event.relatedTarget === null) setIsDragging(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setIsDragging(false);
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) onFileRef.current(file);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  }, []);

  return isDragging;
}
