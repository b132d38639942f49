import { rewriteOnLoad } from './rewrite.ts';

// The remaining count is read, and written back less the claims, while others do the same.
rewriteOnLoad('unguarded count', 'storage/claims.ts', [
  [' order by token_id for no key update`', '`'],
  [
    'set remaining_claim_count = remaining_claim_count - m.made',
    'set remaining_claim_count = m.remaining - m.made',
  ],
  [
    'from (select token_id, count(*) as made from made group by token_id) m',
    `from (
      select token_id, count(*) as made, min(r.remaining_claim_count) as remaining
      from made join tokens r using (token_id) group by token_id
    ) m`,
  ],
]);
