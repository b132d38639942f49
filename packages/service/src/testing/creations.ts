import type { Operation, Token } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect, vi } from 'vitest';

export type TokenBody = Awaited<ReturnType<typeof signedToken>>;
type ServiceAccess = { url: string; apiKey: string };

/**
 * Signs the bodies of `count` createToken requests. Every second body has an allowlist with an address and an
 * identifier.
 */
export async function signTokens(count: number): Promise<TokenBody[]> {
  const bodies: TokenBody[] = [];
  for (let index = 0; index < count; index += 1) bodies.push(await signedToken(allowlistFields(index)));
  return bodies;
}

// Returns no fields for an even index.
function allowlistFields(index: number): Record<string, unknown> {
  if (index % 2 === 0) return {};
  const address = `0x${index.toString(16).padStart(40, '0')}`;
  return {
    isAllowlistRequired: true,
    totalClaimCount: undefined,
    contributors: [address, `person-${index}@example.org`],
  };
}

/**
 * Sends one body. Its signature is the `Idempotency-Key`, so that a repeated body never creates a second
 * token.
 */
export async function postToken({ url, apiKey }: ServiceAccess, body: TokenBody): Promise<Response> {
  return await fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'Idempotency-Key': body.signature,
    },
    body: JSON.stringify(body),
  });
}

/** Creates a token and waits for its operation. */
export async function createToken(service: ServiceAccess, body?: TokenBody): Promise<Operation> {
  const response = await postToken(service, body ?? (await signedToken()));
  expect(response.status).toBe(202);
  const operation = await readOperation(service, response.headers.get('location') ?? '');
  expect(operation).toMatchObject({ operationType: 'createToken', status: 'success', error: null });
  return operation;
}

/**
 * Sends all bodies, and adds the Location of each 202 to `accepted`. Skips bodies whose connection was lost.
 */
export async function postTokens(
  service: ServiceAccess,
  bodies: Iterable<TokenBody>,
  { accepted, concurrency = 50 }: { accepted: Map<TokenBody, string>; concurrency?: number },
): Promise<void> {
  // The senders share this iterator, so that each body is sent once.
  const remaining = [...bodies].values();
  async function send(): Promise<void> {
    for (const body of remaining) {
      const response = await postToken(service, body).catch(() => undefined);
      if (response === undefined) continue;
      expect(response.status).toBe(202);
      accepted.set(body, response.headers.get('location') ?? '');
    }
  }
  await Promise.all(Array.from({ length: concurrency }, send));
}

/** Waits until `count` bodies are accepted, while `postTokens` sends them. */
export async function waitForAccepted(accepted: Map<TokenBody, string>, count: number): Promise<void> {
  await vi.waitFor(() => expect(accepted.size).toBeGreaterThanOrEqual(count), {
    ...WAIT_OPTIONS,
    interval: 1,
  });
}

export async function readOperation(
  { url }: Pick<ServiceAccess, 'url'>,
  location: string,
): Promise<Operation> {
  const response = await fetch(`${url}${location}?wait=30`);
  expect(response.status).toBe(200);
  return (await response.json()) as Operation;
}

export async function listTokens({ url }: Pick<ServiceAccess, 'url'>): Promise<Token[]> {
  const tokens: Token[] = [];
  for (;;) {
    const response = await fetch(`${url}/v1/tokens?limit=1000&offset=${tokens.length}`);
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: Token[] };
    tokens.push(...data);
    if (data.length < 1_000) return tokens;
  }
}

/**
 * Fails unless the tokens have the ids 1…N, and each accepted body has created exactly one of them, with its
 * allowlist.
 */
export async function expectTokensOf(
  service: ServiceAccess,
  accepted: Map<TokenBody, string>,
  databaseUrl: string,
): Promise<void> {
  const ids = Array.from({ length: accepted.size }, (_, index) => index + 1);
  const bodies = new Map<unknown, TokenBody>();
  // The readers share this iterator, so that each operation is read once.
  const remaining = accepted.entries();
  async function readAll(): Promise<void> {
    for (const [body, location] of remaining) {
      const operation = await readOperation(service, location);
      expect(operation).toMatchObject({ status: 'success', error: null, resourceId: expect.any(Number) });
      bodies.set(operation.resourceId, body);
    }
  }
  await Promise.all(Array.from({ length: 20 }, readAll));
  expect([...bodies.keys()].sort((a, b) => Number(a) - Number(b))).toEqual(ids);

  const tokens = await listTokens(service);
  expect(tokens.map(({ tokenId }) => Number(tokenId))).toEqual(ids);
  for (const token of tokens) {
    const { creator, headline } = bodies.get(Number(token.tokenId)) ?? {};
    expect(token).toMatchObject({ createdByAddress: creator, headline });
  }

  const rows = await query<{ operation: string; token_id: number; contributors: number }>(
    databaseUrl,
    `select operation_id as operation, t.token_id::integer, count(a.contributor_key)::integer as contributors
     from operations left join tokens t using (operation_id) left join allowlist_entries a using (token_id)
     group by 1, 2 order by 2`,
  );
  expect(rows).toEqual(
    ids.map((id) => {
      const body = bodies.get(id);
      const contributors = body?.isAllowlistRequired ? 2 : 0;
      return { operation: body && accepted.get(body)?.split('/').at(-1), token_id: id, contributors };
    }),
  );
  await expectOperationsAudited(databaseUrl);
}

/**
 * Fails unless the audit log has exactly one entry for each operation, and the entry and the operation agree.
 */
export async function expectOperationsAudited(databaseUrl: string): Promise<void> {
  const mismatches = await query(
    databaseUrl,
    `select coalesce(a.resource_id, o.operation_id::text) as operation, count(*)
     from operations o
     full join (select * from audit_log where resource_type = 'operation') a
       on a.resource_id = o.operation_id::text
     group by 1
     having count(*) <> 1 or bool_or(
       (a.action, a.community_id, a.api_key_id, a.recorded_at)
       is distinct from (o.operation_type, o.community_id, o.api_key_id, o.created_at)
     )`,
  );
  expect(mismatches).toEqual([]);
}
