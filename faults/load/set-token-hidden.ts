import type { Journal } from '../journal.ts';
import type { Client } from './client.ts';
import { operatorRequest } from './requests.ts';

/** Hides a token or shows it. Returns how often the request was sent until it succeeded; 0 if it has not. */
export async function setTokenHidden(
  { client, journal, adminKey }: { client: Client; journal: Journal; adminKey: string },
  { tokenId, isHidden }: { tokenId: number; isHidden: boolean },
): Promise<number> {
  let attempts = 0;
  const response = await client.request(`/v1/tokens/${tokenId}`, () => {
    attempts += 1;
    return operatorRequest(adminKey, 'PATCH', { isHidden });
  });
  if (response === undefined) return 0;
  if (response.status === 200) return attempts;
  await journal.violation('I10', `a PATCH of token ${tokenId} returned ${response.status}`);
  return 0;
}
