import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';
import { joinClasses } from './join-classes.ts';

interface FieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the input. Screen readers announce it. */
  error?: ReactNode;
  /** Whether it is an address or a code: written from left to right, without spelling and corrections. */
  isCode?: boolean;
}

/** An input with its label, a hint and an error. */
export function Field({ label, hint, error, isCode = false, className, ...rest }: FieldProps) {
  const id = useId();
  const hasError = error !== undefined && error !== null && error !== '';
  const describedBy = [hint !== undefined && `${id}-hint`, hasError && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const codeProps = isCode
    ? ({
        dir: 'ltr',
        autoComplete: 'off',
        autoCapitalize: 'none',
        autoCorrect: 'off',
        spellCheck: false,
      } as const)
    : {};
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <input
        {...codeProps}
        {...rest}
        id={id}
        className={joinClasses(styles.input, isCode && styles.code, className)}
        aria-invalid={hasError || undefined}
        aria-describedby={describedBy || undefined}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      <p id={`${id}-error`} className={styles.error} role="alert" hidden={!hasError}>
        {error}
      </p>
    </div>
  );
}
