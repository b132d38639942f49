import type { Token } from '@badge/sdk';

/** What each list on the page of a badge gets. */
export interface BadgePartProps {
  token: Token;
  /** Another number after each change. */
  version: number;
  onChange: () => void;
}
