import styles from './address.module.css';
import { CopyButton } from './copy-button.tsx';

interface AddressProps {
  value: string;
  hasCopyButton?: boolean;
  /** Its ENS name, which is shown before it. */
  name?: string | null | undefined;
}

/**
 * The first and last digits of an Ethereum address, always written from left to right. `AddressGroups` shows
 * the whole address.
 */
export function Address({ value, hasCopyButton = false, name = null }: AddressProps) {
  return (
    <span className={styles.address}>
      {name !== null && <bdi className={styles.name}>{name}</bdi>}
      <bdi className={styles.text} dir="ltr" title={value}>
        {shortenAddress(value)}
      </bdi>
      {hasCopyButton && <CopyButton text={value} />}
    </span>
  );
}

/** Shortens an address, for example to `0x530E…0044`. */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
