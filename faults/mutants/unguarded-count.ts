import type { Changes } from './rewrite.ts';
import { TWO_WORKERS } from './two-workers.ts';

/** The remaining count is read, and written back a moment later less the claims, while others do the same. */
export const UNGUARDED_COUNT: Changes = {
  ...TWO_WORKERS,
  'storage/claims.ts': [
    [' order by token_id for no key update`', '`'],
    [
      'set remaining_claim_count = remaining_claim_count - m.made',
      'set remaining_claim_count = m.remaining - m.made',
    ],
    [
      'from (select token_id, count(*) as made from made group by token_id) m',
      `from (
        select token_id, count(*) as made, min(r.remaining_claim_count) as remaining
        from made join tokens r using (token_id) cross join pg_sleep(0.1) group by token_id
      ) m`,
    ],
  ],
};
