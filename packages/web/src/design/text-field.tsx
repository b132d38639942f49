import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';
import { joinClasses } from './join-classes.ts';

type TextFieldProps = Omit<ComponentProps<'input'>, 'id'> & {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the input, in words; null if nothing is. Screen readers announce it. */
  error?: ReactNode;
};

/** A field of one line with its label, a hint and an error. */
export function TextField({ label, hint, error = null, className, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <input
        {...rest}
        {...describedBy(id, hint, error)}
        id={id}
        className={joinClasses(styles.input, className)}
      />
    </FieldFrame>
  );
}

type TextAreaFieldProps = Omit<ComponentProps<'textarea'>, 'id'> &
  Pick<TextFieldProps, 'label' | 'hint' | 'error'>;

/** A field of several lines. */
export function TextAreaField({ label, hint, error = null, rows = 3, ...rest }: TextAreaFieldProps) {
  const id = useId();
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      <textarea {...rest} {...describedBy(id, hint, error)} id={id} rows={rows} className={styles.input} />
    </FieldFrame>
  );
}

function describedBy(id: string, hint: ReactNode, error: ReactNode) {
  const ids = [hint !== undefined && `${id}-hint`, error !== null && `${id}-error`].filter(Boolean).join(' ');
  return { 'aria-invalid': error !== null || undefined, 'aria-describedby': ids || undefined };
}

interface FieldFrameProps {
  id: string;
  label: ReactNode;
  hint: ReactNode;
  error: ReactNode;
  children: ReactNode;
}

function FieldFrame({ id, label, hint, error, children }: FieldFrameProps) {
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      <div id={`${id}-error`} className={styles.error} role="alert" hidden={error === null}>
        {error}
      </div>
    </div>
  );
}
