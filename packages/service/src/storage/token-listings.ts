import { sql } from 'kysely';
import type { Database } from './database.ts';
import { COLUMNS, type TokenRow } from './tokens.ts';

interface TokenPage {
  limit: number;
  offset: number;
  order: 'asc' | 'desc';
}

/**
 * A page of the tokens that are not hidden, by id. Ids are dense, so an offset is a seek and costs the same at
 * any depth: past so many ids, and past the hidden ones that fewer than `offset` visible tokens precede.
 */
export async function listTokens(db: Database, page: TokenPage): Promise<TokenRow[]> {
  const place = page.order === 'asc' ? sql`token_id` : sql`last_token_id + 1 - token_id`;
  const lastSkipped = sql<number>`(
    select ${page.offset}::bigint + count(*) filter (where preceding_visible < ${page.offset}::bigint)
    from (
      select ${place} - row_number() over (order by ${place}) as preceding_visible
      from tokens cross join token_counter where is_hidden
    ) as hidden
  )`;
  const tokens = db.selectFrom('tokens').select(COLUMNS).where('is_hidden', '=', false);
  const rest =
    page.order === 'asc'
      ? tokens.where('token_id', '>', lastSkipped)
      : tokens.where(
          'token_id',
          '<=',
          sql<number>`(select last_token_id from token_counter) - ${lastSkipped}`,
        );
  return await rest.orderBy('token_id', page.order).limit(page.limit).execute();
}

interface CommunityTokenPage extends TokenPage {
  communityId: string;
  isHidden: boolean;
  headline: string | undefined;
  /** For every custom attribute that a token must have, its alternatives. */
  attributes: { fieldName: string; value: string | number | boolean }[][];
}

/** A page of a community's tokens by id. */
export async function listCommunityTokens(db: Database, page: CommunityTokenPage): Promise<TokenRow[]> {
  const { communityId, isHidden, headline, attributes, limit, offset, order } = page;
  const tokens = db
    .selectFrom('tokens')
    .select(COLUMNS)
    .where('community_id', '=', communityId)
    .where('is_hidden', '=', isHidden)
    .where((eb) =>
      eb.and([
        ...(headline === undefined ? [] : [eb('headline', '=', headline)]),
        ...attributes.map((alternatives) => {
          const lists = alternatives.map((attribute) => JSON.stringify([attribute]));
          return sql<boolean>`custom_attributes @> any(${lists}::jsonb[])`;
        }),
      ]),
    );
  return await tokens.orderBy('token_id', order).limit(limit).offset(offset).execute();
}
