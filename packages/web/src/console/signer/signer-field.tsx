import { useTranslation } from 'react-i18next';
import { shortenAddress } from '../../design/address.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { Notice } from '../../design/notice.tsx';
import type { SignerChoice } from './signer.ts';

interface SignerFieldProps {
  choices: readonly SignerChoice[];
  value: SignerChoice['id'] | null;
  onChange: (id: SignerChoice['id']) => void;
}

/** Lets the person choose who signs. */
export function SignerField({ choices, value, onChange }: SignerFieldProps) {
  const { t } = useTranslation('console');
  if (choices.length === 0) return <Notice tone="warning">{t('signer.none')}</Notice>;
  return (
    <ChoiceField
      legend={t('signer.legend')}
      value={value ?? ''}
      onChange={(id) => onChange(id as SignerChoice['id'])}
      choices={choices.map((choice) => ({ value: choice.id as string, ...describe(choice) }))}
    />
  );

  function describe(choice: SignerChoice): { label: string; hint: string } {
    if ('wallet' in choice) {
      const { name } = choice.wallet;
      return {
        label: name === null ? t('signer.unnamedWallet') : t('signer.wallet', { name }),
        hint: t('signer.walletHint'),
      };
    }
    if (choice.id === 'testKey') return { label: t('signer.testKey'), hint: t('signer.testKeyHint') };
    return {
      label: t('signer.managed'),
      hint: t('signer.managedHint', { address: shortenAddress(choice.address) }),
    };
  }
}
