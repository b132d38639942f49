import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import fieldStyles from '../../design/field.module.css';
import { SelectField } from '../../design/select-field.tsx';
import { TextField } from '../../design/text-field.tsx';
import type { TypedAttribute, TypedTime } from './draft.ts';
import styles from './make-page.module.css';
import type { FieldName } from './read-fields.ts';

/** Returns what is wrong with a field, in words; null if nothing is. */
export type ProblemOf = (field: FieldName) => string | null;

interface LinkFieldsProps {
  links: readonly string[];
  problemOf: ProblemOf;
  onChange: (links: string[]) => void;
}

const MAX_ROWS = 50;

export function LinkFields({ links, problemOf, onChange }: LinkFieldsProps) {
  const { t } = useTranslation('console');
  return (
    <Rows
      legend={t('make.links.legend')}
      addLabel={t('make.links.add')}
      isFull={links.length >= MAX_ROWS}
      onAdd={() => onChange([...links, ''])}
    >
      {links.map((link, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: links can be equal, and have no other name.
        <div key={index} className={styles.row}>
          <TextField
            type="url"
            dir="ltr"
            label={t('make.links.label', { number: index + 1 })}
            placeholder="https://"
            autoComplete="off"
            value={link}
            error={problemOf(`links.${index}`)}
            onChange={(event) => onChange(links.with(index, event.target.value))}
          />
          <RemoveButton
            label={t('make.links.remove', { number: index + 1 })}
            onClick={() => onChange(links.toSpliced(index, 1))}
          />
        </div>
      ))}
    </Rows>
  );
}

interface AttributeFieldsProps {
  attributes: readonly TypedAttribute[];
  problemOf: ProblemOf;
  onChange: (attributes: TypedAttribute[]) => void;
}

const TYPES = ['string', 'number', 'date', 'boolean'] as const;

export function AttributeFields({ attributes, problemOf, onChange }: AttributeFieldsProps) {
  const { t } = useTranslation('console');
  const change = (index: number, changes: Partial<TypedAttribute>) =>
    onChange(attributes.map((attribute, at) => (at === index ? { ...attribute, ...changes } : attribute)));
  return (
    <Rows
      legend={t('make.attributes.legend')}
      hint={t('make.attributes.hint')}
      addLabel={t('make.attributes.add')}
      isFull={attributes.length >= MAX_ROWS}
      onAdd={() => onChange([...attributes, { name: '', type: 'string', value: '' }])}
    >
      {attributes.map(({ name, type, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attributes can be equal while they are typed.
        <fieldset key={index} className={styles.attribute}>
          <legend className={styles.muted}>{t('make.attributes.label', { number: index + 1 })}</legend>
          <div>
            <TextField
              label={t('make.attributes.name')}
              value={name}
              error={problemOf(`attributes.${index}.name`)}
              onChange={(event) => change(index, { name: event.target.value })}
            />
          </div>
          <SelectField
            label={t('make.attributes.type')}
            value={type}
            onChange={(event) => {
              const chosen = event.target.value as TypedAttribute['type'];
              change(index, { type: chosen, value: chosen === 'boolean' ? 'true' : '' });
            }}
          >
            {TYPES.map((one) => (
              <option key={one} value={one}>
                {t(`make.attributes.types.${one}`)}
              </option>
            ))}
          </SelectField>
          <div>
            {type === 'boolean' ? (
              <SelectField
                label={t('make.attributes.value')}
                value={value}
                onChange={(event) => change(index, { value: event.target.value })}
              >
                <option value="true">{t('make.attributes.yes')}</option>
                <option value="false">{t('make.attributes.no')}</option>
              </SelectField>
            ) : (
              <TextField
                // A date-time, which only a program writes, stays as it is.
                type={type === 'date' && (value === '' || value.length === 10) ? 'date' : 'text'}
                inputMode={type === 'number' ? 'decimal' : undefined}
                label={t('make.attributes.value')}
                value={value}
                error={problemOf(`attributes.${index}.value`)}
                onChange={(event) => change(index, { value: event.target.value })}
              />
            )}
          </div>
          <RemoveButton
            label={t('make.attributes.remove', { number: index + 1 })}
            onClick={() => onChange(attributes.toSpliced(index, 1))}
          />
        </fieldset>
      ))}
    </Rows>
  );
}

function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  const { t } = useTranslation('console');
  return (
    <Button variant="quiet" aria-label={label} className={styles.remove} onClick={onClick}>
      {t('make.remove')}
    </Button>
  );
}

interface RowsProps {
  legend: string;
  hint?: string;
  addLabel: string;
  isFull: boolean;
  onAdd: () => void;
  children: ReactNode;
}

function Rows({ legend, hint, addLabel, isFull, onAdd, children }: RowsProps) {
  return (
    <fieldset className={styles.rows}>
      <legend className={fieldStyles.label}>{legend}</legend>
      {hint !== undefined && <p className={fieldStyles.hint}>{hint}</p>}
      {children}
      <div>
        <Button size="small" isDisabled={isFull} onClick={onAdd}>
          {addLabel}
        </Button>
      </div>
    </fieldset>
  );
}

interface TimeFieldProps {
  legend: string;
  hint?: string;
  value: TypedTime;
  error: string | null;
  onChange: (value: TypedTime) => void;
}

/** A day, and a time of it that can stay empty. */
export function TimeField({ legend, hint, value, error, onChange }: TimeFieldProps) {
  const { t } = useTranslation('console');
  return (
    <fieldset className={styles.rows}>
      <legend className={fieldStyles.label}>{legend}</legend>
      {hint !== undefined && <p className={fieldStyles.hint}>{hint}</p>}
      <div className={styles.time}>
        <TextField
          type="date"
          label={t('make.dates.day')}
          value={value.day}
          error={error}
          onChange={(event) => onChange({ ...value, day: event.target.value })}
        />
        <TextField
          type="time"
          label={t('make.dates.time')}
          value={value.time}
          onChange={(event) => onChange({ ...value, time: event.target.value })}
        />
      </div>
    </fieldset>
  );
}
