import { useId } from 'react';
import styles from './address-mark.module.css';
import { joinClasses } from './join-classes.ts';

/** A round mark in colours that are derived from an address, so that people recognize the address. */
export function AddressMark({ address, isLarge = false }: { address: string; isLarge?: boolean }) {
  const gradientId = useId();
  const digits = address.slice(2).toLowerCase();
  const [firstHue, secondHue, angle] = [0, 4, 8].map(
    (start) => Number.parseInt(digits.slice(start, start + 4), 16) % 360,
  );
  return (
    <svg
      className={joinClasses(styles.mark, isLarge && styles.large)}
      viewBox="0 0 40 40"
      aria-hidden="true"
      focusable="false"
    >
      <defs>
        <linearGradient id={gradientId} gradientTransform={`rotate(${angle} 0.5 0.5)`}>
          <stop offset="0" stopColor={`hsl(${firstHue} 80% 62%)`} />
          <stop offset="1" stopColor={`hsl(${secondHue} 75% 38%)`} />
        </linearGradient>
      </defs>
      <circle cx="20" cy="20" r="20" fill={`url(#${gradientId})`} />
    </svg>
  );
}
