import { registerHooks } from 'node:module';

// Loaded before the service with --import. It adds a migration, so that the service acts like the next
// release.
const MIGRATIONS_START = 'export const MIGRATIONS: Record<string, Migration> = {';
// This code is appended to migrations.ts.
const ADDED_CODE = `
const TRIAL: Record<string, Migration> = {
  '9000-trial': { up: async (db) => {
    await sql\`alter table tokens add column trial text not null default 'default of the trial migration'\`.execute(db);
    await sql\`create index tokens_trial on tokens (trial, token_id)\`.execute(db);
    await sql\`alter table operations add column trial integer\`.execute(db);
  } },
};
Object.assign(MIGRATIONS, TRIAL);
`;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/storage/migrations/migrations.ts')) return loaded;
    const source =
      loaded.source instanceof Uint8Array ? Buffer.from(loaded.source).toString() : String(loaded.source);
    if (!source.includes(MIGRATIONS_START))
      throw new Error('migrations.ts has changed: adapt MIGRATIONS_START and ADDED_CODE');
    return { ...loaded, source: `import { sql } from 'kysely';\n${source}\n${ADDED_CODE}` };
  },
});
