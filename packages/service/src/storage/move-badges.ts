import { randomUUID } from 'node:crypto';
import type { Operation } from '@badge/protocol';
import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { ContractEvidence } from '../signatures/contract-evidence.ts';
import type { DatabaseTransaction } from './database.ts';
import { serializeRequest } from './operations.ts';
import type { Move } from './ownership.ts';

/** The consent of a wallet to receive the badges that are kept for an e-mail. */
export interface MoveBadgesRequest {
  /** In hex. */
  emailHash: string;
  nonce: number;
  toAddress: Address;
  /** Whether later badges go to the wallet. Null: that stays as it is. */
  isDefault: boolean | null;
  signature: Buffer;
  evidence: ContractEvidence | null;
}

/**
 * Locks what people have chosen, in the order of their hashes, so that no two of their moves are settled at
 * once. Returns the nonce of each, by its hash in hex.
 */
export async function lockHolders(
  tx: DatabaseTransaction,
  emailHashes: string[],
): Promise<Map<string, number>> {
  const hashes = sql`select decode(h, 'hex') from unnest(${emailHashes}::text[]) as u (h)`;
  await sql`
    insert into holders (email_hash) select distinct h from (${hashes}) as w (h) order by h
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ email_hash: Buffer; move_nonce: number }>`
    select email_hash, move_nonce from holders where email_hash in (${hashes}) order by email_hash
    for update`.execute(tx);
  return new Map(rows.map((row) => [row.email_hash.toString('hex'), row.move_nonce]));
}

/** Uses the nonce of somebody, and sets the wallet of later badges. The row must be locked. */
export async function useMoveNonce(
  tx: DatabaseTransaction,
  { emailHash, toAddress, isDefault }: Pick<MoveBadgesRequest, 'emailHash' | 'isDefault' | 'toAddress'>,
): Promise<void> {
  await sql`
    update holders set move_nonce = move_nonce + 1, default_address = case
      when ${isDefault}::boolean then ${toAddress}::bytea
      when ${isDefault}::boolean is null then default_address
    end
    where email_hash = decode(${emailHash}, 'hex')`.execute(tx);
}

/** A token that is kept for somebody. */
export interface KeptToken {
  tokenId: number;
  address: Address;
}

/** Lists up to `limit` of the tokens that are kept for somebody; first those that the wallet never had. */
export async function listKeptTokens(
  tx: DatabaseTransaction,
  { emailHash, toAddress }: Pick<MoveBadgesRequest, 'emailHash' | 'toAddress'>,
  limit: number,
): Promise<KeptToken[]> {
  const { rows } = await sql<KeptToken>`
    select c.token_id as "tokenId", k.address from kept_addresses k
    join claims c on c.address = k.address and c.burnt_at is null
    where k.email_hash = decode(${emailHash}, 'hex')
    order by (
      select true from claims w where w.token_id = c.token_id and w.address = ${toAddress}::bytea limit 1
    ) nulls first, c.token_id limit ${limit}`.execute(tx);
  return rows;
}

/**
 * Inserts an operation for each move, in the community of its token, with its entry in the audit log: as if
 * the community had moved it. Returns the moves with the ids of their operations.
 */
export async function insertMoves(
  tx: DatabaseTransaction,
  moves: Omit<Move, 'operationId'>[],
): Promise<Move[]> {
  const withIds = moves.map((move) => ({ ...move, operationId: randomUUID() }));
  const requests = withIds.map(({ tokenId, address, toAddress }) =>
    serializeRequest({ tokenId, address, toAddress }),
  );
  await sql`
    with inserted as (
      insert into operations (operation_id, operation_type, community_id, request, request_bytes)
      select m.operation_id, 'move', t.community_id, m.request::jsonb, octet_length(m.request)
      from unnest(
        ${withIds.map((move) => move.operationId)}::uuid[], ${withIds.map((move) => move.tokenId)}::bigint[],
        ${requests}::text[]
      ) with ordinality as m (operation_id, token_id, request, position)
      join tokens t using (token_id)
      order by m.position
      returning operation_id, community_id
    )
    insert into audit_log (actor, action, community_id, resource_type, resource_id)
    select 'email', 'move', community_id, 'operation', operation_id::text from inserted`.execute(tx);
  return withIds;
}

/** Hides at the wallet what was hidden at the kept addresses. */
export async function moveHiddenTokens(tx: DatabaseTransaction, moves: Move[]): Promise<void> {
  await sql`
    insert into hidden_tokens (token_id, address)
    select h.token_id, m.to_address
    from unnest(
      ${moves.map((move) => move.tokenId)}::bigint[], ${moves.map((move) => move.address)}::bytea[],
      ${moves.map((move) => move.toAddress)}::bytea[]
    ) as m (token_id, address, to_address)
    join hidden_tokens h using (token_id, address)
    on conflict do nothing`.execute(tx);
}

/** Adds warnings to an operation that is being settled. */
export async function setWarnings(
  tx: DatabaseTransaction,
  operationId: string,
  warnings: Operation['warnings'],
): Promise<void> {
  await sql`
    update operations set warnings = ${JSON.stringify(warnings)}::jsonb
    where operation_id = ${operationId}`.execute(tx);
}
