import type { Mutant } from './mutant.ts';
import { WITHOUT_EVENTS } from './without-events.ts';

const SETTLE = '      settled = await settleOperations(tx, first.operationType, batch);';

export const EARLY_EVENTS: Mutant = {
  name: 'early events',
  defect: 'The events of a batch are committed before the batch is, as if every operation succeeded.',
  breaks: 'I9',
  changes: {
    'storage/queue.ts': [WITHOUT_EVENTS],
    'worker/settle-batch.ts': [
      [
        "import type { Context } from '../context.ts';",
        "import { sql } from 'kysely';\nimport type { Context } from '../context.ts';",
      ],
      [
        SETTLE,
        `      await sql\`
        insert into event_outbox (community_id, type, data)
        select community_id, case operation_type
            when 'createToken' then 'token.created' when 'addContributors' then 'contributors.added'
            when 'removeContributors' then 'contributors.removed' when 'burn' then 'badge.burnt'
            when 'revoke' then 'badge.revoked' when 'reinstate' then 'badge.reinstated'
            when 'move' then 'badge.moved' else 'badge.claimed' end,
          jsonb_build_object('operationId', operation_id)
        from operations where operation_id = any(\${batch}::uuid[])\`.execute(context.database);
${SETTLE}`,
      ],
    ],
  },
};
