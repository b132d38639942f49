import { newWallet, type Wallet } from '@badge/test-support/signing';
import type { Random } from '../random.ts';
import { COMMUNITY_ID, operatorRequest } from './requests.ts';
import type { World } from './world.ts';

let created = 0;

/**
 * Makes a new wallet a member, signs it in, and removes it. Reads from every process with its session while
 * it is a member, and after its removal.
 */
export async function manageMember(world: World, random: Random): Promise<void> {
  created += 1;
  const wallet = newWallet(`member ${created} of ${world.runName}`);
  const attempts = await addMember(world, wallet);
  if (attempts === 0) return;
  const sessionToken = await signIn(world, wallet, random);
  if (sessionToken !== undefined) await readWithSession(world, { wallet, sessionToken, isMember: true });
  if (!(await removeMember(world, wallet))) return;
  // If the addition was retried, its first attempt may be executed after the removal.
  if (sessionToken === undefined || attempts > 1) return;
  await readWithSession(world, { wallet, sessionToken, isMember: false });
}

/** Returns how often the request was sent until it succeeded; 0 if it did not succeed. */
async function addMember({ client, journal, adminKey }: World, wallet: Wallet): Promise<number> {
  let attempts = 0;
  const response = await client.request(memberPath(wallet), () => {
    attempts += 1;
    return operatorRequest(adminKey, 'PUT', { role: 'viewer' });
  });
  if (response === undefined) return 0;
  // 200: an earlier attempt has added it, but its response was lost.
  if (response.status === 201 || (response.status === 200 && attempts > 1)) return attempts;
  await journal.violation('I10', `the addition of a member returned ${response.status}`);
  return 0;
}

/** Returns false if retries have ended. */
async function removeMember({ client, journal, adminKey }: World, wallet: Wallet): Promise<boolean> {
  const response = await client.request(memberPath(wallet), () => operatorRequest(adminKey, 'DELETE'));
  if (response === undefined) return false;
  // A 404 means that an earlier attempt succeeded, but its response was lost.
  if (response.status !== 204 && response.status !== 404)
    await journal.violation('I10', `the removal of a member returned ${response.status}`);
  return true;
}

/** Returns the token of a new session; undefined if the process did not respond or was restarted. */
async function signIn(
  { client, journal }: World,
  wallet: Wallet,
  random: Random,
): Promise<string | undefined> {
  const processName = random.pick(client.apiNames) ?? '';
  const post = (path: string, body: object) =>
    client.readFrom(processName, path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const challenge = await post('/v1/sessions/challenge', { address: wallet.address });
  if (challenge?.status !== 200) return await reject(challenge);
  const { message } = (await challenge.json()) as { message: string };
  const session = await post('/v1/sessions', { message, signature: await wallet.signMessage({ message }) });
  // A process that was restarted has another port, which is in the URL of its challenges.
  if (session?.status === 401) return undefined;
  if (session?.status !== 201) return await reject(session);
  return ((await session.json()) as { sessionToken: string }).sessionToken;

  async function reject(response: Response | undefined): Promise<undefined> {
    if (response === undefined) return;
    await journal.violation('I10', `a request of a sign-in returned ${response.status}`);
  }
}

async function readWithSession(
  { client, journal }: World,
  { wallet, sessionToken, isMember }: { wallet: Wallet; sessionToken: string; isMember: boolean },
): Promise<void> {
  const headers = { Authorization: `Bearer ${sessionToken}` };
  const path = `/v1/communities/${COMMUNITY_ID}/configuration`;
  const read = async (processName: string) => {
    const response = await client.readFrom(processName, path, { headers });
    if (response === undefined) return;
    const { status } = response;
    await journal.append({ type: 'session', address: wallet.address, isMember, processName, status });
  };
  await Promise.all(client.apiNames.map(read));
}

function memberPath({ address }: Wallet): string {
  return `/v1/communities/${COMMUNITY_ID}/members/${address}`;
}
