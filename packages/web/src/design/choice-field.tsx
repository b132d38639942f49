import { useId } from 'react';
import styles from './choice-field.module.css';
import { joinClasses } from './join-classes.ts';

interface Choice<Value extends string> {
  value: Value;
  label: string;
  hint?: string;
}

interface ChoiceFieldProps<Value extends string> {
  legend: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
  /** Whether the choices are side by side, for short labels. */
  isCompact?: boolean;
}

/** A group of radio buttons with a title. */
export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { legend, value, onChange, choices, isCompact = false } = props;
  const name = useId();
  return (
    <fieldset className={styles.field}>
      <legend className={styles.legend}>{legend}</legend>
      <div className={joinClasses(styles.choices, isCompact && styles.compact)}>
        {choices.map((choice) => (
          <label key={choice.value} className={styles.choice}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
            />
            <span className={styles.text}>
              <span className={styles.label}>{choice.label}</span>
              {choice.hint !== undefined && <span className={styles.hint}>{choice.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
