import type { Mutant } from './mutant.ts';

export const EXIT_WITHOUT_DRAINING: Mutant = {
  name: 'exit without draining',
  defect: 'A process exits immediately on SIGTERM, and does not respond to its requests in flight.',
  breaks: 'I11',
  faultFilter: 'rolling restart',
  // Slow inserts, so that requests are in flight at every SIGTERM.
  prepareSql: `create function wait_a_little() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.5); return null; end $$;
    create trigger slow_insert before insert on operations
      for each statement execute function wait_a_little()`,
  changes: {
    'cli/serve.ts': [
      ["service.context.log.info('stopping');", "service.context.log.info('stopping');\n  process.exit(0);"],
    ],
  },
};
