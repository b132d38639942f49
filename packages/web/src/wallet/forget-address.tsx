import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../design/button.tsx';
import styles from './forget-address.module.css';
import { forgetAddress, useLastAddress } from './last-address.ts';

interface ForgetAddressProps {
  /** Shown only if the browser remembers this address, with its checksum. By default, any address. */
  address?: string;
  /** Whether a text says what the browser remembers. */
  hasHint?: boolean;
}

/**
 * A button for shared devices, which makes this browser forget the address of the last claim. Then it says
 * so.
 */
export function ForgetAddress({ address, hasHint = false }: ForgetAddressProps) {
  const { t } = useTranslation();
  const lastAddress = useLastAddress();
  const [isForgotten, setIsForgotten] = useState(false);
  const forgottenRef = useRef<HTMLParagraphElement>(null);

  // The button is gone, so the keyboard and screen readers continue at the text that replaces it.
  useEffect(() => {
    if (isForgotten) forgottenRef.current?.focus();
  }, [isForgotten]);

  if (isForgotten && lastAddress === null) {
    return (
      <p ref={forgottenRef} tabIndex={-1} className={styles.text}>
        {t('address.forgotten')}
      </p>
    );
  }
  if (lastAddress === null || (address !== undefined && address !== lastAddress)) return null;
  return (
    <div className={styles.forget}>
      {hasHint && <p className={styles.text}>{t('address.forgetHint')}</p>}
      <Button
        size="small"
        onClick={() => {
          forgetAddress();
          setIsForgotten(true);
        }}
      >
        {t('address.forget')}
      </Button>
    </div>
  );
}
