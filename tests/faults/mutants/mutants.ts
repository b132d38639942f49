import { ANY_NUMBER_OF_VALUES } from './any-number-of-values.ts';
import { ASSET_AFTER_RESPONSE } from './asset-after-response.ts';
import { ASYNCHRONOUS_COMMIT } from './asynchronous-commit.ts';
import { AUDIT_ONLY_WITH_A_KEY } from './audit-only-with-a-key.ts';
import { CHECK_THEN_INSERT } from './check-then-insert.ts';
import { CODES_CHECKED_TOO_EARLY } from './codes-checked-too-early.ts';
import { EARLY_EVENTS } from './early-events.ts';
import { EXIT_WITHOUT_DRAINING } from './exit-without-draining.ts';
import { EXPIRY_ANNOUNCED_TWICE } from './expiry-announced-twice.ts';
import { EXPIRY_BY_OWN_CLOCK } from './expiry-by-own-clock.ts';
import { IDS_FROM_A_SEQUENCE } from './ids-from-a-sequence.ts';
import { INTERNAL_ERROR_WITHOUT_DATABASE } from './internal-error-without-database.ts';
import { KEY_IN_ANOTHER_TRANSACTION } from './key-in-another-transaction.ts';
import { LOST_DELIVERIES } from './lost-deliveries.ts';
import { LOST_EVENTS } from './lost-events.ts';
import type { Mutant } from './mutant.ts';
import { NO_ALLOWLIST_CHECK } from './no-allowlist-check.ts';
import { NO_LOCK_ON_TAKEN_WORK } from './no-lock-on-taken-work.ts';
import { PICTURES_IN_ORDER } from './pictures-in-order.ts';
import { QUEUE_IN_ORDER } from './queue-in-order.ts';
import { READS_FROM_A_STANDBY } from './reads-from-a-standby.ts';
import { REMINDER_BY_OWN_CLOCK } from './reminder-by-own-clock.ts';
import { REPEATED_CLAIMS } from './repeated-claims.ts';
import { REPLACEMENT_WITHOUT_LINKS } from './replacement-without-links.ts';
import { REPLACEMENT_WITHOUT_LOCK } from './replacement-without-lock.ts';
import { RESPONSE_BEFORE_COMMIT } from './response-before-commit.ts';
import { RESPONSES_FROM_THE_READ_IN_FLIGHT } from './responses-from-the-read-in-flight.ts';
import { REVOKED_BADGE_REPORTED } from './revoked-badge-reported.ts';
import { ROOM_CODE_USED_TOO_OFTEN } from './room-code-used-too-often.ts';
import { SECOND_REMINDER } from './second-reminder.ts';
import { SESSION_OUTLIVES_MEMBER } from './session-outlives-member.ts';
import { SKIPPED_OPERATIONS } from './skipped-operations.ts';
import { STATUS_LIST_KEPT } from './status-list-kept.ts';
import { TWO_TRANSACTIONS } from './two-transactions.ts';
import { UNGUARDED_COUNT } from './unguarded-count.ts';
import { WHOLE_PAGES } from './whole-pages.ts';
import { WINDOW_BY_OWN_CLOCK } from './window-by-own-clock.ts';

/** Every mutant. `npm run test:faults -- --list` prints this table. */
export const MUTANTS: readonly Mutant[] = [
  RESPONSE_BEFORE_COMMIT,
  ASYNCHRONOUS_COMMIT,
  CHECK_THEN_INSERT,
  KEY_IN_ANOTHER_TRANSACTION,
  WINDOW_BY_OWN_CLOCK,
  NO_LOCK_ON_TAKEN_WORK,
  UNGUARDED_COUNT,
  NO_ALLOWLIST_CHECK,
  REPEATED_CLAIMS,
  CODES_CHECKED_TOO_EARLY,
  ROOM_CODE_USED_TOO_OFTEN,
  SKIPPED_OPERATIONS,
  TWO_TRANSACTIONS,
  ASSET_AFTER_RESPONSE,
  AUDIT_ONLY_WITH_A_KEY,
  LOST_EVENTS,
  EARLY_EVENTS,
  LOST_DELIVERIES,
  INTERNAL_ERROR_WITHOUT_DATABASE,
  EXIT_WITHOUT_DRAINING,
  IDS_FROM_A_SEQUENCE,
  ANY_NUMBER_OF_VALUES,
  PICTURES_IN_ORDER,
  QUEUE_IN_ORDER,
  WHOLE_PAGES,
  READS_FROM_A_STANDBY,
  RESPONSES_FROM_THE_READ_IN_FLIGHT,
  REVOKED_BADGE_REPORTED,
  STATUS_LIST_KEPT,
  SESSION_OUTLIVES_MEMBER,
  REPLACEMENT_WITHOUT_LOCK,
  REPLACEMENT_WITHOUT_LINKS,
  EXPIRY_BY_OWN_CLOCK,
  EXPIRY_ANNOUNCED_TWICE,
  REMINDER_BY_OWN_CLOCK,
  SECOND_REMINDER,
];
