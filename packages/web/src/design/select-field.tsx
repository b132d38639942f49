import { type ComponentProps, type ReactNode, useId } from 'react';
import fieldStyles from './field.module.css';
import styles from './select-field.module.css';

interface SelectFieldProps extends Omit<ComponentProps<'select'>, 'id'> {
  label: ReactNode;
}

/** A `<select>` with its label. Its children are `<option>`s. */
export function SelectField({ label, children, ...rest }: SelectFieldProps) {
  const id = useId();
  return (
    <div className={fieldStyles.field}>
      <label className={fieldStyles.label} htmlFor={id}>
        {label}
      </label>
      <span className={styles.frame}>
        <select {...rest} id={id} className={`${fieldStyles.input} ${styles.select}`}>
          {children}
        </select>
      </span>
    </div>
  );
}
