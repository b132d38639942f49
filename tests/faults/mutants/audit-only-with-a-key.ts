import type { Mutant } from './mutant.ts';

const JOIN = 'from inserted i join proposed p using (operation_id)';

export const AUDIT_ONLY_WITH_A_KEY: Mutant = {
  name: 'audit only with a key',
  defect: "Of the operations, only those with a community's API key get an audit entry.",
  breaks: 'I9',
  changes: {
    'storage/operations.ts': [[JOIN, `${JOIN} where i.api_key_id is not null`]],
  },
};
