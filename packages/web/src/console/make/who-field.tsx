import { useTranslation } from 'react-i18next';
import { ChoiceField } from '../../design/choice-field.tsx';
import { TextField } from '../../design/text-field.tsx';
import type { Fields, Who } from './draft.ts';
import styles from './make-page.module.css';
import type { ProblemOf } from './row-fields.tsx';

const CHOICES: readonly Who[] = ['everyone', 'list', 'link'];

interface WhoFieldProps {
  fields: Fields;
  /** Whether only the number can be changed. */
  isFixed: boolean;
  problemOf: ProblemOf;
  onChange: (changes: Partial<Fields>) => void;
}

/** Who can get the badge. */
export function WhoField({ fields, isFixed, problemOf, onChange }: WhoFieldProps) {
  const { t } = useTranslation('console');
  const { who, count } = fields;
  return (
    <div className={styles.fields}>
      {!isFixed && (
        <ChoiceField
          legend={t('make.who.legend')}
          value={who}
          onChange={(chosen) => onChange({ who: chosen })}
          choices={CHOICES.map((value) => ({
            value,
            label: t(`make.who.${value}`),
            hint: t(`make.who.${value}Hint`),
          }))}
        />
      )}
      {who === 'everyone' && (
        <div className={styles.number}>
          <TextField
            label={t('make.who.count')}
            inputMode="numeric"
            autoComplete="off"
            value={count}
            error={problemOf('count')}
            onChange={(event) => onChange({ count: event.target.value })}
          />
        </div>
      )}
    </div>
  );
}
