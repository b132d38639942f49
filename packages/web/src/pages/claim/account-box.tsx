import { toChecksumAddress } from '../../wallet/address.ts';
import styles from './claim-panel.module.css';

/** A whole address, in groups of four, which are easier to compare. */
export function AccountBox({ label, address }: { label: string; address: string }) {
  const text = toChecksumAddress(address);
  const groups = ['0x', ...(text.slice(2).match(/.{4}/g) ?? [])];
  return (
    <div className={styles.address}>
      <span className={styles.addressLabel}>{label}</span>
      {/* Screen readers and a copy get the address without spaces. */}
      <span className={styles.groups} dir="ltr" role="img" aria-label={text}>
        {groups.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups can be equal, and their order is fixed.
          <span key={index}>{group}</span>
        ))}
      </span>
    </div>
  );
}
