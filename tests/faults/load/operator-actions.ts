import type { Journal } from '../journal.ts';
import type { Client } from './client.ts';
import { operatorRequest } from './requests.ts';

interface Operator {
  client: Client;
  journal: Journal;
  adminKey: string;
}

/**
 * Hides a token or shows it. Returns how often the request was sent until it succeeded; 0 if it did not
 * succeed.
 */
export async function setTokenHidden(
  { client, journal, adminKey }: Operator,
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

/** Creates a community whose id, display id and name are equal. Returns false if it was not created. */
export async function createCommunity(
  { client, journal, adminKey }: Operator,
  communityId: string,
): Promise<boolean> {
  const response = await client.request('/v1/communities', () =>
    operatorRequest(adminKey, 'POST', { uniqId: communityId, displayId: communityId, name: communityId }),
  );
  if (response === undefined) return false;
  // A 409 means that an earlier attempt succeeded, but its response was lost.
  if (response.status === 201 || response.status === 409) return true;
  await journal.violation('I10', `the creation of a community returned ${response.status}`);
  return false;
}
