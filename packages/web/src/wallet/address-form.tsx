import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AddressGroups } from '../design/address-groups.tsx';
import { Button } from '../design/button.tsx';
import { CodeField } from '../design/code-field.tsx';
import { type AddressProblem, normalizeTypedAddress, readTypedAddress } from './address.ts';
import styles from './address-form.module.css';

interface AddressFormProps {
  label: string;
  submitLabel: string;
  /** Whether its button is the main action of the page. */
  isMain: boolean;
  /** To focus the field. */
  fieldRef?: RefObject<HTMLTextAreaElement | null>;
  /** Called with an address without mistakes, with its checksum. */
  onAddress: (address: string) => void;
}

/** With these problems, a person compares the address with the one in the wallet. */
const PROBLEMS_OF_DIGITS: AddressProblem[] = ['digits', 'length', 'checksum'];

/** A field into which a person types or pastes an address. It says what is wrong with the address. */
export function AddressForm({ label, submitLabel, isMain, fieldRef, onAddress }: AddressFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<AddressProblem | null>(null);
  const ownRef = useRef<HTMLTextAreaElement>(null);
  const ref = fieldRef ?? ownRef;
  const typed = normalizeTypedAddress(text);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const read = readTypedAddress(text);
    if ('address' in read) {
      onAddress(read.address);
      return;
    }
    setProblem(read.problem);
    ref.current?.focus();
  }

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <CodeField
        fieldRef={ref}
        label={label}
        hint={t('address.hint')}
        error={
          problem && (
            <>
              <span>{t(`address.problems.${problem}`)}</span>
              {problem === 'length' && (
                <span>{t('address.found', { found: typed.replace('0x', '').length })}</span>
              )}
              {PROBLEMS_OF_DIGITS.includes(problem) && <AddressGroups address={typed} />}
            </>
          )
        }
        placeholder="0x…"
        value={text}
        onChange={(value) => {
          setText(value);
          setProblem(null);
        }}
      />
      <Button type="submit" size="large" isWide variant={isMain ? 'primary' : 'secondary'}>
        {submitLabel}
      </Button>
    </form>
  );
}
