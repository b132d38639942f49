import type { Mutant } from './mutant.ts';

const JOIN = 'as a (operation_id, actor) using (operation_id)';

export const AUDIT_OF_KEYS_ONLY: Mutant = {
  name: 'audit of keys only',
  defect: 'Only requests with an API key get an audit entry.',
  breaks: 'I9',
  changes: {
    'storage/operations.ts': [[JOIN, `${JOIN} where i.api_key_id is not null`]],
  },
};
