import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** Absolute paths of PostgreSQL's programs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** Finds the programs for a platform; throws an EmbeddedPostgresError where no package has them. */
export async function loadBinaries(
  target = `${process.platform}-${process.arch}`,
): Promise<PostgresBinaries> {
  try {
    const { initdb, postgres }: PostgresBinaries = await import(`@embedded-postgres/${target}`);
    return { initdb, postgres };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `no embedded PostgreSQL is installed for ${target}; set DATABASE_URL to a PostgreSQL server`,
      { cause },
    );
  }
}
