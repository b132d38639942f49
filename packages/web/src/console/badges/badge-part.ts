import type { Token } from '@badge/sdk';

/** What each list on the page of a badge gets. */
export interface BadgePartProps {
  token: Token;
  /** Another number after each change. */
  version: number;
  /**
   * Goes up when something has happened with the badge. Then what is shown is read again, and stays
   * meanwhile.
   */
  eventCount: number;
  onChange: () => void;
}
