import pg from 'pg';

/** Runs statements on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** What a database holds, counted in one snapshot. */
export interface Stored {
  operations: Set<string>;
  pending: number;
  tokens: number;
  lastTokenId: number;
  highestTokenId: number;
  claims: number;
  /** Tokens whose claims and remaining count are not their total. */
  miscounted: number;
  /** Operations in success without what they made, and tokens or claims whose operation is not in success. */
  halfDone: number;
}

export async function readStored(url: string): Promise<Stored> {
  const [row] = await query<Omit<Stored, 'operations'> & { ids: string[] }>(
    url,
    `select array(select operation_id::text from operations) as ids,
      (select count(*) from operations where status = 'pending')::integer as pending,
      (select count(*) from tokens)::integer as tokens,
      (select last_token_id from token_counter)::integer as "lastTokenId",
      (select coalesce(max(token_id), 0) from tokens)::integer as "highestTokenId",
      (select count(*) from claims)::integer as claims,
      (select count(*) from tokens t where total_claim_count <> remaining_claim_count
        + (select count(*) from claims c where c.token_id = t.token_id))::integer as miscounted,
      (select count(*) from operations o
        left join tokens t using (operation_id) left join claims c using (operation_id)
        where (o.status = 'success') <> (t.token_id is not null or c.token_id is not null))::integer as "halfDone"`,
  );
  if (row === undefined) throw new Error('the database answered nothing');
  const { ids, ...counts } = row;
  return { ...counts, operations: new Set(ids) };
}

/** Holds up the settling of creations until it is released. */
export async function holdSettling(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('begin; lock table token_counter in exclusive mode');
  return () => client.end();
}
