import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { CloseIcon } from './icons.tsx';

interface DialogProps {
  title: ReactNode;
  isOpen: boolean;
  /** Called when the dialog is closed, also by the Escape key. */
  onClose: () => void;
  children: ReactNode;
}

/** A modal dialog. The browser keeps the focus inside, and returns it afterwards. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const { t } = useTranslation();
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);

  return (
    <dialog ref={ref} className={styles.dialog} aria-labelledby={titleId} onClose={onClose}>
      {isOpen && (
        <>
          <div className={styles.header}>
            <h2 id={titleId}>{title}</h2>
            <Button variant="quiet" isIcon aria-label={t('shell.close')} onClick={onClose}>
              <CloseIcon />
            </Button>
          </div>
          {children}
        </>
      )}
    </dialog>
  );
}
