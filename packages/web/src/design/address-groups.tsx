import styles from './address-groups.module.css';

/**
 * Shows a whole address in groups of four characters, which are easier to compare. The address may be one
 * that a person has typed with mistakes.
 */
export function AddressGroups({ address }: { address: string }) {
  const groups = ['0x', ...(address.replace(/^0x/, '').match(/.{1,4}/g) ?? [])];
  return (
    // Screen readers read the label, not the groups.
    <span className={styles.groups} dir="ltr" role="img" aria-label={address}>
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups can be equal, and their order is fixed.
        <span key={index}>{group}</span>
      ))}
    </span>
  );
}
