import styles from './address-groups.module.css';

/** A whole address, or what a person has typed as one, in groups of four, which are easier to compare. */
export function AddressGroups({ address }: { address: string }) {
  const groups = ['0x', ...(address.replace(/^0x/, '').match(/.{1,4}/g) ?? [])];
  return (
    // Screen readers get the address without spaces.
    <span className={styles.groups} dir="ltr" role="img" aria-label={address}>
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups can be equal, and their order is fixed.
        <span key={index}>{group}</span>
      ))}
    </span>
  );
}
