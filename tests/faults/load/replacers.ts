import { setTimeout as wait } from 'node:timers/promises';
import type { Owner, Problem, RecipientsPage } from '@badge/protocol';
import { newWallet, signedBurn, signTokenId, type Wallet } from '@badge/test-support/signing';
import type { Random } from '../random.ts';
import { REPLACED_COMMUNITY } from './communities.ts';
import { createCommunity } from './operator-actions.ts';
import { createTokenRequest } from './requests.ts';
import { createCalls, type Outcome } from './unjournaled-calls.ts';
import type { World } from './world.ts';

const LISTED = 4;
const IN_ROOM = 3;
const WITH_LINK = 5;
const DAY_MS = 24 * 3_600_000;
/** Within this time, others claim while the token is replaced. */
const MEANWHILE_MS = 1_500;

/** A person, and how the person claims. `when`: before, during or after the replacement. */
interface Person {
  wallet: Wallet;
  claimCode?: string;
  when: 'before' | 'during' | 'after';
}

let replaced = 0;

/**
 * Replaces a token while people claim it: by a list, by the code of a room and by links. I15: afterwards,
 * everybody has the replacement exactly once, except one who burns the token meanwhile. The requests are not
 * journaled, because other checks know nothing of replacements.
 */
export async function replaceToken(world: World, random: Random): Promise<void> {
  const { journal, runName } = world;
  if (!(await createCommunity(world, REPLACED_COMMUNITY))) return;
  replaced += 1;
  const name = `replaced ${replaced} of ${runName}`;
  const { post, finish, read } = createCalls(world, name);
  const creator = newWallet(name);
  const createToken = async (headline: string, contributors: string[]) => {
    const token = {
      headline,
      isSignatureRequired: false,
      nftTypeId: 'defaultOrangeRed',
      totalClaimCount: null,
    };
    const request = await createTokenRequest(
      creator,
      { ...token, contributors },
      { communityId: REPLACED_COMMUNITY, apiKey: world.adminKey },
    );
    return (await finish(await post('/v1/tokens', JSON.parse(request.body))))?.tokenId ?? null;
  };
  const wallets = Array.from({ length: LISTED + IN_ROOM + WITH_LINK }, (_, index) =>
    newWallet(`${name} ${index}`),
  );
  const listed = wallets.slice(0, LISTED).map(({ address }) => address);
  const tokenId = await createToken(name, [creator.address, ...listed]);
  const replacementTokenId = await createToken(`${name}, corrected`, [creator.address]);
  if (tokenId === null || replacementTokenId === null) return;
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const links = `/v1/tokens/${tokenId}/claimLinks`;
  const made = [
    await post(links, { maxClaims: IN_ROOM, expiresAtTimestamp: Date.now() + DAY_MS, signature }),
    await post(links, { count: WITH_LINK, signature }),
  ];
  const codes: string[] = [];
  for (const response of made) {
    if (response?.status !== 201) return;
    codes.push(...((await response.json()) as { items: { code: string }[] }).items.map(({ code }) => code));
  }
  const [room = '', ...linkCodes] = codes;
  const people = wallets.map((wallet, index): Person => {
    const when = random.pick(['before', 'during', 'during', 'after'] as const) ?? 'during';
    if (index < LISTED) return { wallet, when: index === 0 ? 'before' : when };
    return { wallet, when, claimCode: index < LISTED + IN_ROOM ? room : (linkCodes.pop() ?? '') };
  });

  // Whoever sends a request to the token after the replacement is told which token to use.
  async function send(call: string, body: object): Promise<Outcome | undefined> {
    let response = await post(`/v1/tokens/${tokenId}/${call}`, body);
    if (response?.status === 409) {
      const { name, replacedByTokenId } = (await response.clone().json()) as Problem;
      if (name === 'TokenReplaced') response = await post(`/v1/tokens/${replacedByTokenId}/${call}`, body);
    }
    return await finish(response);
  }
  const claim = ({ wallet: { address }, claimCode }: Person) =>
    send('claim', { claimingAddress: address, ...(claimCode === undefined ? {} : { claimCode }) });
  const claimAll = (when: Person['when']) =>
    Promise.all(
      people
        .filter((person) => person.when === when)
        .map(async (person) => {
          if (when === 'during') await wait(random.integer(0, MEANWHILE_MS));
          return await claim(person);
        }),
    );

  const before = await claimAll('before');
  const burner = people[0]?.wallet ?? creator;
  const burn = await signedBurn(tokenId, burner);
  const [during, burnt, replacement] = await Promise.all([
    claimAll('during'),
    post(`/v1/tokens/${tokenId}/burn`, burn).then(finish),
    post(`/v1/tokens/${tokenId}/replace`, { replacementTokenId }).then(finish),
  ]);
  const after = await claimAll('after');
  const owners = await read<{ data: Owner[] }>(
    `/v1/tokens/${replacementTokenId}/owners?status=all&limit=1000`,
  );
  const earlier = await read<{ data: Owner[] }>(`/v1/tokens/${tokenId}/owners?limit=1000`);
  const recipients = await read<RecipientsPage>(`/v1/tokens/${replacementTokenId}/recipients?limit=1000`);
  const claims = [...before, ...during, ...after];
  // The run has ended.
  if (!owners || !earlier || !recipients || claims.includes(undefined) || !replacement) return;

  const violation = (detail: string) => journal.violation('I15', `token ${tokenId}: ${detail}`);
  if (replacement.result !== 'success') await violation(`the replacement ended in ${replacement.result}`);
  for (const claimed of claims) {
    if (claimed?.result !== 'success') await violation(`a claim ended in ${claimed?.result}`);
  }
  // The service has refused a burn that arrived after the replacement.
  const isBurnt = burnt?.result === 'success';
  for (const { address } of wallets) {
    const statuses = owners.data.filter((owner) => owner.address === address).map(({ status }) => status);
    const expected = address === burner.address && isBurnt ? 'burnt' : 'held';
    if (String(statuses) !== expected) await violation(`${address} is ${statuses} instead of ${expected}`);
  }
  const known = recipients.data.map(({ address }) => address).sort();
  if (String(known) !== String(wallets.map(({ address }) => address).sort())) {
    await violation(`the recipients are ${known}`);
  }
  if (owners.data.length !== wallets.length) await violation(`there are ${owners.data.length} owners`);
  if (earlier.data.length > 0) await violation(`${earlier.data.length} addresses still hold it`);
  await journal.checked('I15', wallets.length);
}
