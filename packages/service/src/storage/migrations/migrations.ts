import type { Migration } from 'kysely/migration';
import * as baseline from './0001-baseline.ts';

/**
 * Every migration in order. Add new ones at the end; a released one never changes, and neither does its name.
 */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-baseline': baseline,
};
