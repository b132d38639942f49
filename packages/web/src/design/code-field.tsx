import { type ReactNode, type RefObject, useId } from 'react';
import styles from './code-field.module.css';
import fieldStyles from './field.module.css';
import { joinClasses } from './join-classes.ts';

interface CodeFieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the input; null if nothing is. Screen readers announce it. */
  error: ReactNode;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  fieldRef?: RefObject<HTMLTextAreaElement | null>;
}

/**
 * A field for an address or a code, with a label, a hint and an error. In a narrow place it has two lines, so
 * that all of an address is visible. The Enter key submits its form, and line breaks of a pasted text become
 * spaces.
 */
export function CodeField({ label, hint, error, placeholder, value, onChange, fieldRef }: CodeFieldProps) {
  const id = useId();
  const hasError = error !== null;
  const describedBy = [hint !== undefined && `${id}-hint`, hasError && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={joinClasses(fieldStyles.field, styles.field)}>
      <label className={fieldStyles.label} htmlFor={id}>
        {label}
      </label>
      <textarea
        ref={fieldRef}
        id={id}
        className={joinClasses(fieldStyles.input, styles.code)}
        dir="ltr"
        rows={2}
        enterKeyHint="go"
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        aria-invalid={hasError || undefined}
        aria-describedby={describedBy || undefined}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value.replaceAll(/[\r\n]+/g, ' '))}
        onKeyDown={(event) => {
          // While an input method composes text, the Enter key only ends the composition.
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className={fieldStyles.hint}>
          {hint}
        </p>
      )}
      <div id={`${id}-error`} className={fieldStyles.error} role="alert" hidden={!hasError}>
        {error}
      </div>
    </div>
  );
}
