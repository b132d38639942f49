import type { Mutant } from './mutant.ts';
import { WITHOUT_EVENTS } from './without-events.ts';

const TRANSACTION_END = `      settled = await settleOperations(tx, first.operationType, batch);
    });`;

export const LOST_EVENTS: Mutant = {
  name: 'lost events',
  defect: 'The events of a batch are written 300 ms after its commit.',
  breaks: 'I9',
  changes: {
    'storage/queue.ts': [WITHOUT_EVENTS],
    'worker/settle-batch.ts': [
      [
        "import type { Context } from '../context.ts';",
        "import { sql } from 'kysely';\nimport type { Context } from '../context.ts';",
      ],
      [
        TRANSACTION_END,
        `${TRANSACTION_END}
    setTimeout(() => {
      sql\`
        insert into event_outbox (community_id, type, data)
        select community_id, case status when 'error' then 'operation.failed' else case operation_type
            when 'createToken' then 'token.created' when 'addContributors' then 'contributors.added'
            when 'removeContributors' then 'contributors.removed' when 'burn' then 'badge.burnt'
            when 'revoke' then 'badge.revoked' when 'reinstate' then 'badge.reinstated'
            when 'move' then 'badge.moved' else 'badge.claimed' end end,
          jsonb_build_object('operationId', operation_id)
        from operations where operation_id = any(\${batch}::uuid[])\`.execute(context.database).catch(() => undefined);
    }, 300);`,
      ],
    ],
  },
};
