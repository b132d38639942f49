import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { shortenAddress } from '../design/address.tsx';
import { AddressGroups } from '../design/address-groups.tsx';
import { Button } from '../design/button.tsx';
import { CodeField } from '../design/code-field.tsx';
import { type AddressProblem, normalizeTypedAddress, readTypedAddress } from './address.ts';
import styles from './address-form.module.css';
import { ForgetAddress } from './forget-address.tsx';
import { useLastAddress } from './last-address.ts';

interface AddressFormProps {
  label: string;
  submitLabel: string;
  /** Whether the main action of the page is in this form. */
  isMain: boolean;
  /** Called with a valid address, with its checksum. */
  onAddress: (address: string) => void;
}

/**
 * With these problems, the message repeats the address, so that the person can compare it with the wallet.
 */
const PROBLEMS_OF_DIGITS: AddressProblem[] = ['digits', 'length', 'checksum'];
/** The message does not repeat a longer text, because it may be a private key with a mistake. */
const MAX_REPEATED_LENGTH = 50;

/**
 * A field into which a person types or pastes an address. It says what is wrong with the address. It is
 * cleared at once if the text may be a private key or a recovery phrase. A button above the field uses the
 * address of the last claim in this browser, and another one makes the browser forget it.
 */
export function AddressForm({ label, submitLabel, isMain, onAddress }: AddressFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<AddressProblem | null>(null);
  const lastAddress = useLastAddress();
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const typed = normalizeTypedAddress(text);
  // While the field is empty, the button with the last address is the main action, if the page shows this
  // button.
  const isLastAddressMain = isMain && lastAddress !== null && text === '';
  const isSubmitMain = isMain && !isLastAddressMain;
  const isRepeated =
    problem !== null && PROBLEMS_OF_DIGITS.includes(problem) && typed.length <= MAX_REPEATED_LENGTH;

  function change(value: string): void {
    const read = readTypedAddress(value);
    const isSecret = 'problem' in read && read.problem === 'secret';
    setText(isSecret ? '' : value);
    setProblem(isSecret ? 'secret' : null);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const read = readTypedAddress(text);
    if ('address' in read) {
      onAddress(read.address);
      return;
    }
    setProblem(read.problem);
    fieldRef.current?.focus();
  }

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {lastAddress !== null && (
        <Button
          size="large"
          isWide
          variant={isLastAddressMain ? 'primary' : 'secondary'}
          onClick={() => onAddress(lastAddress)}
        >
          {t('address.useLast', { address: shortenAddress(lastAddress) })}
        </Button>
      )}
      <ForgetAddress />
      <CodeField
        fieldRef={fieldRef}
        label={lastAddress === null ? label : t('address.another')}
        hint={t('address.hint')}
        error={
          problem && (
            <>
              <span>{t(`address.problems.${problem}`)}</span>
              {problem === 'length' && isRepeated && (
                <span>{t('address.found', { found: typed.length })}</span>
              )}
              {isRepeated && <AddressGroups address={typed} />}
            </>
          )
        }
        placeholder="0x…"
        value={text}
        onChange={change}
      />
      <Button type="submit" size="large" isWide variant={isSubmitMain ? 'primary' : 'secondary'}>
        {submitLabel}
      </Button>
    </form>
  );
}
