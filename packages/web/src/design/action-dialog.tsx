import { type FormEvent, type ReactNode, useId, useState } from 'react';
import styles from './action-dialog.module.css';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { useModal } from './use-modal.ts';

/** Thrown if a field is wrong. The dialog stays, and the field says what is wrong. */
export class FieldError extends Error {}

export interface ActionDialogProps {
  title: ReactNode;
  /** What happens, and whether it can be undone. */
  children?: ReactNode;
  submitLabel: string;
  cancelLabel: string;
  /** Whether the action cannot be undone. */
  isDangerous?: boolean;
  /** Whether the action can begin. By default, it can. */
  isReady?: boolean;
  /** Does it. The dialog closes when it succeeds, and says what is wrong when it fails. */
  onSubmit: () => Promise<void>;
  /** Says what is wrong in words. */
  describeError: (error: unknown) => string;
  /** Whether the dialog is closed for now, and what was typed stays. */
  isPaused?: boolean;
  /** `isDone` says whether the action has succeeded. */
  onClose: (isDone: boolean) => void;
}

/** Asks before something is done, often with a field. The focus stays inside until it closes. */
export function ActionDialog(props: ActionDialogProps) {
  const { title, children, submitLabel, cancelLabel, isDangerous = false, isReady = true } = props;
  const { onSubmit, describeError, isPaused, onClose } = props;
  const titleId = useId();
  const dialogRef = useModal(isPaused);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isBusy || !isReady) return;
    setIsBusy(true);
    setError(null);
    try {
      await onSubmit();
      onClose(true);
    } catch (caught) {
      if (!(caught instanceof FieldError)) setError(caught);
      setIsBusy(false);
    }
  }

  return (
    <dialog
      ref={dialogRef}
      className={styles.dialog}
      aria-labelledby={titleId}
      // The Escape key. While the action runs, the dialog stays, because closing it would not stop the
      // action.
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy) onClose(false);
      }}
    >
      <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
        <h2 id={titleId}>{title}</h2>
        {children}
        {error !== null && (
          <Notice tone="error" isLive>
            {describeError(error)}
          </Notice>
        )}
        <div className={styles.actions}>
          <Button isDisabled={isBusy} onClick={() => onClose(false)}>
            {cancelLabel}
          </Button>
          <Button
            type="submit"
            variant="primary"
            className={isDangerous ? styles.danger : undefined}
            isDisabled={!isReady}
            isBusy={isBusy}
          >
            {submitLabel}
          </Button>
        </div>
      </form>
    </dialog>
  );
}
