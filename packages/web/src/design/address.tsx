import styles from './address.module.css';
import { CopyButton } from './copy-button.tsx';

interface AddressProps {
  value: string;
  /** Whether all digits are shown, for example before something is sent to the address. */
  isFull?: boolean;
  hasCopyButton?: boolean;
}

/** An Ethereum address, always written from left to right. By default only its first and last digits are shown. */
export function Address({ value, isFull = false, hasCopyButton = false }: AddressProps) {
  return (
    <span className={styles.address} dir="ltr">
      <bdi className={styles.text} dir="ltr" title={isFull ? undefined : value}>
        {isFull ? value : shortenAddress(value)}
      </bdi>
      {hasCopyButton && <CopyButton text={value} />}
    </span>
  );
}

/** `0x530E…0044` of an address. */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
