import { setTimeout as wait } from 'node:timers/promises';
import { verifyCredential } from '@badge/credentials';
import { newWallet, type Wallet } from '@badge/test-support/signing';
import type { JournaledRequest } from '../journal.ts';
import type { Random } from '../random.ts';
import {
  compareResponse,
  type ExpectedToken,
  NEWEST_TOKENS,
  requestOf,
  VIEWS,
  type View,
} from './expected-responses.ts';
import { createCommunity, setTokenHidden } from './operator-actions.ts';
import { burnRequest, claimRequest, createTokenRequest, operatorRequest, undoRequest } from './requests.ts';
import type { World } from './world.ts';

const TOTAL_CLAIMS = 10;
// How long a reader pauses between two reads.
const MIN_PAUSE_MS = 2;
const MAX_PAUSE_MS = 15;
// In this pause, the readers fill the processes' caches with the current responses.
const MAX_PAUSE_BEFORE_CHANGE_MS = 1_000;
// A fault sets clocks up to two hours ahead. Nothing that was made meanwhile is too early.
const CLOCK_TOLERANCE_MS = 24 * 3_600_000;
const ALL_VIEWS = Object.keys(VIEWS) as View[];

/** A token that one user changes, while readers compare every response with what is expected. */
interface ChangedToken {
  wallet: Wallet;
  expected: ExpectedToken;
  /**
   * Whether a request to hide or show it was retried. The service may execute the first attempt late, after
   * another change.
   */
  mayBeHiddenLater: boolean;
  /**
   * The credentials that the wallet has had, by their ids. The last one is valid if the wallet holds the
   * token.
   */
  credentials: Map<string, string>;
  /** How many responses were compared. */
  compared: number;
}

/**
 * Changes the token and sets what responses must show from then on. Returns false if the change has not
 * succeeded.
 */
type Change = (world: World, token: ChangedToken) => Promise<boolean>;

let created = 0;

/**
 * Creates a token and changes it step by step. After each successful change, reads every response that shows
 * the token, from every process. In addition, one reader per process reads without waiting for the changes,
 * so its reads overlap with them.
 */
export async function changeAndRead(world: World, random: Random, signal: AbortSignal): Promise<void> {
  const { client, journal } = world;
  let token: ChangedToken | undefined;
  let isOver = false;
  const readers = client.apiNames.map(async (processName) => {
    while (!isOver) {
      const view = random.pick(ALL_VIEWS) ?? 'token';
      // Before the token exists, the newest tokens are read.
      if (token === undefined) await client.readFrom(processName, NEWEST_TOKENS);
      else await readAndCompare(world, token, processName, view);
      await wait(random.integer(MIN_PAUSE_MS, MAX_PAUSE_MS));
    }
  });
  token = await createToken(world);
  if (token !== undefined) {
    await readFromAll(world, token);
    for (const change of CHANGES) {
      await wait(random.integer(0, MAX_PAUSE_BEFORE_CHANGE_MS), undefined, { signal }).catch(() => undefined);
      if (signal.aborted || !(await change(world, token))) break;
      await readFromAll(world, token);
      await verifyCredentials(world, token, random);
    }
  }
  isOver = true;
  await Promise.all(readers);
  await journal.checked('I14', token?.compared ?? 0);
}

async function readFromAll(world: World, token: ChangedToken): Promise<void> {
  await Promise.all(
    world.client.apiNames.flatMap((processName) =>
      ALL_VIEWS.map((view) => readAndCompare(world, token, processName, view)),
    ),
  );
}

/** Creates a community with a token. */
async function createToken(world: World): Promise<ChangedToken | undefined> {
  const { runName, adminKey } = world;
  created += 1;
  const communityId = `changed-${created}`;
  if (!(await createCommunity(world, communityId))) return undefined;
  const wallet = newWallet(`${communityId} of ${runName}`);
  const token = {
    headline: `Token of ${communityId} of ${runName}`,
    isSignatureRequired: false,
    nftTypeId: 'defaultOrangeRed',
    totalClaimCount: TOTAL_CLAIMS,
    contributors: [],
  };
  const request = await createTokenRequest(wallet, token, { communityId, apiKey: adminKey });
  const tokenId = await sendAndWait(world, request);
  if (tokenId === null) return undefined;
  return {
    wallet,
    expected: {
      tokenId,
      communityId,
      communityName: { value: communityId },
      isListed: { value: true },
      remainingAtMost: TOTAL_CLAIMS,
      wallet: wallet.address,
      isHeld: { value: false },
    },
    mayBeHiddenLater: false,
    credentials: new Map(),
    compared: 0,
  };
}

const claim: Change = async (world, token) => {
  const { tokenId, remainingAtMost } = token.expected;
  const request = await claimRequest(tokenId, token.wallet, { isSigned: false, isKeySent: true });
  setExpected(token, { isHeld: null });
  const keys = { apiKey: world.adminKey, idempotencyKey: `claim-of-${tokenId}` };
  if ((await sendAndWait(world, { ...request, ...keys })) === null) return false;
  setExpected(token, { isHeld: { value: true }, remainingAtMost: remainingAtMost - 1 });
  return true;
};

const burn: Change = async (world, token) => {
  const { tokenId } = token.expected;
  const request = await burnRequest(tokenId, token.wallet);
  setExpected(token, { isHeld: null });
  if ((await sendAndWait(world, { ...request, idempotencyKey: `burn-of-${tokenId}` })) === null) return false;
  setExpected(token, { isHeld: { value: false } });
  return true;
};

/** Revokes, reinstates or moves the token. From then on, the wallet has it or not. */
function undo(kind: 'revoke' | 'reinstate' | 'move', isHeld: boolean): Change {
  return async (world, token) => {
    const { tokenId, wallet } = token.expected;
    const other = newWallet(`other wallet of ${tokenId} of ${world.runName}`).address;
    const [from, to] = isHeld ? [other, wallet] : [wallet, other];
    const request =
      kind === 'move' ? undoRequest(kind, tokenId, from, to) : undoRequest(kind, tokenId, wallet);
    setExpected(token, { isHeld: null });
    if ((await sendAndWait(world, { ...request, apiKey: world.adminKey })) === null) return false;
    setExpected(token, { isHeld: { value: isHeld } });
    return true;
  };
}

async function setHidden(world: World, token: ChangedToken, isHidden: boolean): Promise<boolean> {
  const { tokenId } = token.expected;
  setExpected(token, { isListed: null });
  const attempts = await setTokenHidden(world, { tokenId, isHidden });
  if (attempts === 0) return false;
  if (!token.mayBeHiddenLater) setExpected(token, { isListed: { value: !isHidden } });
  token.mayBeHiddenLater ||= attempts > 1;
  return true;
}

const renameCommunity: Change = async (world, token) => {
  const { client, journal, adminKey } = world;
  const { communityId } = token.expected;
  const name = `${communityId}, renamed`;
  setExpected(token, { communityName: null });
  const response = await client.request(`/v1/communities/${communityId}`, () =>
    operatorRequest(adminKey, 'PATCH', { name }),
  );
  if (response !== undefined && response.status !== 200)
    await journal.violation('I10', `a PATCH of ${communityId} returned ${response.status}`);
  if (response?.status !== 200) return false;
  setExpected(token, { communityName: { value: name } });
  return true;
};

const CHANGES: Change[] = [
  claim,
  undo('revoke', false),
  undo('reinstate', true),
  undo('move', false),
  undo('move', true),
  (world, token) => setHidden(world, token, true),
  (world, token) => setHidden(world, token, false),
  renameCommunity,
  burn,
];

function setExpected(token: ChangedToken, changes: Partial<ExpectedToken>): void {
  token.expected = { ...token.expected, ...changes };
}

/**
 * Sends a request and waits for its operation. Returns the id of the token; null if the operation has not
 * succeeded.
 */
async function sendAndWait({ client }: World, request: JournaledRequest): Promise<number | null> {
  const result = await client.send(request);
  if (result.outcome !== 'accepted') return null;
  const operation = await client.waitForOperation(result.location);
  return operation?.status === 'success' ? operation.resourceId : null;
}

/**
 * Reads a response once. I14: it must show what was expected when the request was sent, unless that
 * changed before the response arrived.
 */
async function readAndCompare(
  { client, journal }: World,
  token: ChangedToken,
  processName: string,
  view: View,
): Promise<void> {
  const before = token.expected;
  const path = VIEWS[view](before);
  const response = await client.readFrom(processName, path, requestOf(view, before));
  if (response === undefined) return;
  const seen = { status: response.status, body: await response.json() };
  const comparisons = compareResponse(view, seen, { before, after: token.expected });
  if (comparisons.length > 0) token.compared += 1;
  for (const { isCurrent, text } of comparisons) {
    if (!isCurrent) await journal.violation('I14', `${path} of ${processName}: ${text}`);
  }
}

/**
 * Reads the credential if the wallet holds the token, and verifies every credential that the wallet has had,
 * each with the status list of a random process, because a verification takes 25 ms. I14: only that of a
 * wallet that holds the token is valid.
 */
async function verifyCredentials(world: World, token: ChangedToken, random: Random): Promise<void> {
  const { client, journal } = world;
  const { expected, credentials } = token;
  const isHeld = expected.isHeld?.value === true;
  const path = VIEWS.credential(expected);
  const response = isHeld ? await client.readFrom(random.pick(client.apiNames) ?? '', path) : undefined;
  if (response?.status === 200) {
    const json = await response.text();
    const { id } = JSON.parse(json) as { id: string };
    credentials.set(id, json);
  } else if (isHeld) {
    // The current credential is not known, so one that is known may be valid.
    return;
  }
  const current = isHeld ? [...credentials.keys()].at(-1) : undefined;
  for (const [id, json] of credentials) {
    const wanted = id === current ? 'valid' : 'revoked';
    const processName = random.pick(client.apiNames) ?? '';
    const { verdict, reason } = await verifyCredential(json, {
      nowTimestamp: Date.now() + CLOCK_TOLERANCE_MS,
      fetchStatusList: (url) => readList(processName, url),
    });
    // The process was not there.
    if (reason.code === 'statusListUnreachable') continue;
    token.compared += 1;
    if (verdict !== wanted) {
      const text = `the credential ${id} of ${path} is ${verdict} with the list of ${processName}, not ${wanted}: ${reason.detail}`;
      await journal.violation('I14', text);
    }
  }

  async function readList(processName: string, url: string): Promise<string> {
    const list = await client.readFrom(processName, new URL(url).pathname);
    if (list === undefined) throw new Error('the process did not respond');
    return await list.text();
  }
}
