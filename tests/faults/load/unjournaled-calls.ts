import type { Operation, Problem } from '@badge/protocol';
import type { World } from './world.ts';

/** How a request has ended. */
export interface Outcome {
  /** `success`, or the name of the error. */
  result: string;
  tokenId: number | null;
}

/**
 * Returns calls with the key of the operator, which are not journaled: the checks of the journal know nothing
 * of them. Each POST has an idempotency key, so a retry changes nothing.
 */
export function createCalls({ client, adminKey }: World, name: string) {
  let posts = 0;
  const authorization = { Authorization: `Bearer ${adminKey}` };

  async function post(path: string, body: object): Promise<Response | undefined> {
    posts += 1;
    const headers = {
      ...authorization,
      'Content-Type': 'application/json',
      'Idempotency-Key': `${name.replaceAll(' ', '-')}-${posts}`,
    };
    return await client.request(path, () => ({ method: 'POST', headers, body: JSON.stringify(body) }));
  }

  /** Waits until the operation of a 202 is final. Returns undefined if the run has ended. */
  async function finish(response: Response | undefined): Promise<Outcome | undefined> {
    if (response === undefined) return undefined;
    const location = response.headers.get('location');
    if (response.status !== 202 || location === null) {
      return { result: ((await response.json()) as Problem).name, tokenId: null };
    }
    for (;;) {
      const operation = await read<Operation>(`${location}?wait=5`);
      if (operation === undefined) return undefined;
      const { completedAtTimestamp, error, resourceId } = operation;
      if (completedAtTimestamp !== null) return { result: error?.name ?? 'success', tokenId: resourceId };
    }
  }

  async function read<T>(path: string): Promise<T | undefined> {
    const response = await client.request(path, () => ({ headers: authorization }));
    return response?.ok ? ((await response.json()) as T) : undefined;
  }

  return { post, finish, read };
}
