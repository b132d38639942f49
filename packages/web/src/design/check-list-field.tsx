import { type ReactNode, useId } from 'react';
import styles from './choice-field.module.css';
import fieldStyles from './field.module.css';

interface CheckListFieldProps<Value extends string> {
  legend: string;
  values: readonly Value[];
  onChange: (values: Value[]) => void;
  choices: readonly { value: Value; label: ReactNode }[];
  /** What is wrong with the choice; null if nothing is. Screen readers announce it. */
  error?: ReactNode;
}

/** A group of check boxes with a title. */
export function CheckListField<Value extends string>(props: CheckListFieldProps<Value>) {
  const { legend, values, onChange, choices, error = null } = props;
  const errorId = useId();
  return (
    <fieldset className={styles.field} aria-describedby={error === null ? undefined : errorId}>
      <legend className={styles.legend}>{legend}</legend>
      <div className={styles.list}>
        {choices.map(({ value, label }) => (
          <label key={value} className={styles.item}>
            <input
              type="checkbox"
              checked={values.includes(value)}
              onChange={(event) =>
                // In the order of the choices.
                onChange(
                  choices
                    .map((choice) => choice.value)
                    .filter((one) => (one === value ? event.target.checked : values.includes(one))),
                )
              }
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <div id={errorId} className={fieldStyles.error} role="alert" hidden={error === null}>
        {error}
      </div>
    </fieldset>
  );
}
