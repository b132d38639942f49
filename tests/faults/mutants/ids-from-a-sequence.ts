import type { Mutant } from './mutant.ts';

export const IDS_FROM_A_SEQUENCE: Mutant = {
  name: 'ids from a sequence',
  defect: 'Token ids come from a sequence, which loses ids in a rollback or a crash.',
  breaks: 'I12',
  prepareSql: 'create sequence token_ids cache 10',
  changes: {
    'storage/tokens.ts': [['select c.base + n.n, ', "select nextval('token_ids'), "]],
  },
};
