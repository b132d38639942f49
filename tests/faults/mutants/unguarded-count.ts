import { dropConstraint, type Mutant } from './mutant.ts';
import { TWO_WORKERS } from './two-workers.ts';

// In two parts, because the linter warns of a placeholder in a string that is not a template.
const WITH_LOCK = 'locked as materialized ($' + '{LOCKED} for no key update)';

export const UNGUARDED_COUNT: Mutant = {
  name: 'unguarded count',
  defect: 'The remaining count is read, and written back 100 ms later, without a lock.',
  breaks: 'I3',
  prepareSql: dropConstraint('tokens', 'CHECK %remaining_claim_count%total_claim_count%'),
  changes: {
    ...TWO_WORKERS,
    'storage/token-locks.ts': [[WITH_LOCK, WITH_LOCK.replace(' for no key update', '')]],
    'storage/claims.ts': [
      [
        'set remaining_claim_count = remaining_claim_count - m.claim_count',
        'set remaining_claim_count = m.remaining - m.claim_count',
      ],
      [
        'from (select token_id, count(*) as claim_count from granted group by token_id) m',
        `from (
        select token_id, count(*) as claim_count, min(r.remaining_claim_count) as remaining
        from granted join tokens r using (token_id) cross join pg_sleep(0.1) group by token_id
      ) m`,
      ],
    ],
  },
};
