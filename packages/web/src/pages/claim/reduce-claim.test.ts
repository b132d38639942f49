import type { Environment, Token } from '@badge/sdk';
import { expect, test } from 'vitest';
import type { Account, ClaimCode, ClaimEvent, ClaimState } from './claim-state.ts';
import type { StoredClaim } from './claim-store.ts';
import { reduceClaim, startClaim } from './reduce-claim.ts';
import type { RefusalName } from './refusal.ts';

const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const OTHER_ADDRESS = '0x0000000000000000000000000000000000000001';
const SERVICE_CHAIN_ID = 137;
const environment = { eip712: { domain: { chainId: SERVICE_CHAIN_ID } } } as Environment;
const account: Account = { address: ADDRESS, walletId: 'io.metamask' };
const typedAccount: Account = { address: ADDRESS, walletId: null };
const claim: StoredClaim = {
  address: ADDRESS,
  signature: '0x12',
  idempotencyKey: 'key',
  operationId: null,
  beganAtTimestamp: 0,
  isDone: false,
  isKept: false,
};
const claimed: ClaimEvent = {
  type: 'claimed',
  address: ADDRESS,
  isKept: false,
  isNew: true,
  isCodeUnused: false,
};
const noLastAccount: ClaimEvent = { type: 'lastAccountRead', account: null };
const noCode: ClaimCode = { status: 'none' };
const uncheckedCode: ClaimCode = { status: 'checking', code: '0'.repeat(26) };

test('a claim with a wallet goes through the steps choose, connecting, checking, review, signing, claiming and done', () => {
  const state = expectSteps(startClaim(noCode, null), [
    [noLastAccount, 'loading'],
    [tokenRead(), 'choose'],
    [{ type: 'walletChosen', walletId: 'io.metamask' }, 'connecting'],
    [{ type: 'accountGiven', account }, 'checking'],
    [{ type: 'accountChecked', refusal: null }, 'review'],
    [{ type: 'confirmed' }, 'signing'],
    [{ type: 'claimStored', claim }, 'claiming'],
    [claimed, 'done'],
  ]);
  expect(state.token?.claimabilityAttributes.remainingClaimCount).toBe(4);
});

test('a claim with a code needs no signature', () => {
  const state = expectSteps(startClaim(uncheckedCode, null), [
    [noLastAccount, 'loading'],
    [tokenRead(), 'loading'],
    [codeAccepted(), 'choose'],
    [{ type: 'accountGiven', account: typedAccount }, 'checking'],
    [{ type: 'accountChecked', refusal: null }, 'review'],
    [{ type: 'confirmed' }, 'review'],
    [{ type: 'claimStored', claim }, 'claiming'],
  ]);
  expect(state.code.status).toBe('valid');
});

test('a token that requires a signature requires it with a code too', () => {
  expectSteps(startClaim(uncheckedCode, null), [
    [noLastAccount, 'loading'],
    [codeAccepted(), 'loading'],
    [tokenRead({ isSignatureRequired: true }), 'choose'],
    [{ type: 'accountGiven', account }, 'checking'],
    [{ type: 'accountChecked', refusal: null }, 'review'],
    [{ type: 'confirmed' }, 'signing'],
  ]);
});

test('a claim that this browser has begun is continued before the token is read', () => {
  const state = startClaim(uncheckedCode, claim);
  expectSteps(state, [
    [tokenRead(), 'claiming'],
    [claimed, 'done'],
  ]);
});

test('a claim that this browser has finished is shown as an earlier claim, once the service says that the badge is still there', () => {
  const state = expectSteps(startClaim(uncheckedCode, { ...claim, isDone: true }), [
    [tokenRead(), 'verifying'],
    [{ ...claimed, isNew: false }, 'done'],
  ]);
  expect(state.step).toMatchObject({ address: ADDRESS, isKept: false, isNew: false });
});

test.for(['Revoked', 'Moved', 'Burnt'] as const)(
  'a claim that this browser has finished is not shown as claimed if the badge was lost: %s',
  (name) => {
    const first = startClaim(uncheckedCode, { ...claim, isDone: true });
    const state = expectSteps(first, [[{ type: 'refused', refusal: refusal(name) }, 'refused']]);
    expect(state.step).toMatchObject({ refusal: { name }, account: { address: ADDRESS } });
  },
);

test.for<[string, ClaimCode, ClaimEvent[], RefusalName]>([
  ['no badge is left', noCode, [tokenRead({ remainingClaimCount: 0 })], 'NoTokensLeft'],
  ['claims have ended', noCode, [{ ...tokenRead(), timeRefusal: 'TokenClaimExpired' }], 'TokenClaimExpired'],
  [
    'claims have not begun',
    noCode,
    [{ ...tokenRead(), timeRefusal: 'TokenNotYetClaimable' }],
    'TokenNotYetClaimable',
  ],
  ['the code was used', uncheckedCode, [tokenRead(), codeRefused('ClaimCodeUsed')], 'ClaimCodeUsed'],
  ['the code is unknown', uncheckedCode, [codeRefused('ClaimCodeInvalid'), tokenRead()], 'ClaimCodeInvalid'],
])('shows at once that %s', ([, code, events, name]) => {
  const state = events.reduce(reduceClaim, startClaim(code, null));
  expect(state.step).toMatchObject({ name: 'refused', refusal: { name } });
});

test('a code that the service accepts can be used, even if the token was read with no badge left', () => {
  const events = [noLastAccount, tokenRead({ remainingClaimCount: 0 }), codeAccepted()];
  expect(events.reduce(reduceClaim, startClaim(uncheckedCode, null)).step.name).toBe('choose');
});

test('says that no badge is left while the person chooses a wallet, but not while they review the claim', () => {
  const noneLeft = tokenRead({ remainingClaimCount: 0 });
  expectSteps(stateAt('choose'), [[noneLeft, 'refused']]);
  expectSteps(stateAt('review'), [[noneLeft, 'review']]);
});

test('an address that is not on the list is refused, and the person can go back', () => {
  expectSteps(stateAt('checking'), [
    [{ type: 'accountChecked', refusal: refusal('AddressNotAllowlisted') }, 'refused'],
    [{ type: 'wentBack' }, 'choose'],
  ]);
});

test('the badge is shown for an address that has already claimed it', () => {
  const event: ClaimEvent = {
    type: 'claimed',
    address: ADDRESS,
    isKept: false,
    isNew: false,
    isCodeUnused: true,
  };
  const state = reduceClaim(stateAt('checking'), event);
  expect(state.step).toEqual({
    name: 'done',
    address: ADDRESS,
    isKept: false,
    isNew: false,
    isCodeUnused: true,
  });
  expect(state.token?.claimabilityAttributes.remainingClaimCount).toBe(5);
});

test('a declined signature leads back to the review, with the reason', () => {
  const state = reduceClaim(stateAt('signing'), { type: 'refused', refusal: refusal('Declined') });
  expect(state.step).toEqual({ name: 'review', account, refusal: refusal('Declined') });
});

test.for(['ContractWallet', 'Unsupported'] as const)(
  'a wallet that can never sign is refused, and the person can go back: %s',
  (name) => {
    expectSteps(stateAt('signing'), [
      [{ type: 'refused', refusal: refusal(name) }, 'refused'],
      [{ type: 'wentBack' }, 'choose'],
    ]);
  },
);

test('the account of the last visit is used once, before a person can choose', () => {
  const state = expectSteps(startClaim(noCode, null), [
    [tokenRead(), 'loading'],
    [{ type: 'lastAccountRead', account }, 'checking'],
    [{ type: 'accountChecked', refusal: null }, 'review'],
    [{ type: 'wentBack' }, 'choose'],
    [tokenRead(), 'choose'],
  ]);
  expect(state.lastAccount).toBeNull();
});

test('a wallet on another chain switches before it signs', () => {
  expectSteps(atReviewOnChain(1), [
    [{ type: 'confirmed' }, 'switching'],
    [{ type: 'refused', refusal: refusal('Declined') }, 'review'],
    [{ type: 'confirmed' }, 'switching'],
    [{ type: 'chainRead', chainId: SERVICE_CHAIN_ID }, 'signing'],
  ]);
});

test.for([SERVICE_CHAIN_ID, null])('a wallet signs at once if its chain is %j', (chainId) => {
  expectSteps(atReviewOnChain(chainId), [[{ type: 'confirmed' }, 'signing']]);
});

test('a wallet that did not know the chain can be asked again', () => {
  const refused = expectSteps(atReviewOnChain(1), [
    [{ type: 'confirmed' }, 'switching'],
    [{ type: 'refused', refusal: refusal('UnknownChain') }, 'review'],
    [{ type: 'confirmed' }, 'switching'],
    [{ type: 'refused', refusal: refusal('UnknownChain') }, 'review'],
  ]);
  expect(refused.step).toMatchObject({ refusal: { name: 'UnknownChain' } });
});

test('a person who goes back and connects the wallet again no longer sees what the wallet refused before', () => {
  const connected = expectSteps(atReviewOnChain(1), [
    [{ type: 'confirmed' }, 'switching'],
    [{ type: 'refused', refusal: refusal('UnknownChain') }, 'review'],
    [{ type: 'wentBack' }, 'choose'],
    [{ type: 'walletChosen', walletId: 'io.metamask' }, 'connecting'],
    [{ type: 'accountGiven', account }, 'checking'],
    [{ type: 'accountChecked', refusal: null }, 'review'],
  ]);
  expect(connected.step).toMatchObject({ refusal: null });
});

test('a person who switches the chain in the wallet can sign', () => {
  const declined = expectSteps(atReviewOnChain(1), [
    [{ type: 'confirmed' }, 'switching'],
    [{ type: 'refused', refusal: refusal('Declined') }, 'review'],
  ]);
  const state = reduceClaim(declined, { type: 'chainRead', chainId: SERVICE_CHAIN_ID });
  expect(state.step).toEqual({ name: 'review', account, refusal: null });
  expectSteps(state, [[{ type: 'confirmed' }, 'signing']]);
});

test('if the wallet switches to another account, the page checks this account', () => {
  const state = reduceClaim(stateAt('review'), { type: 'accountSwitched', address: OTHER_ADDRESS });
  expect(state.step).toEqual({ name: 'checking', account: { ...account, address: OTHER_ADDRESS } });
});

test.for<[string, ClaimState, string]>([
  ['while the wallet signs', stateAt('signing'), OTHER_ADDRESS],
  ['while the claim is made', stateAt('claiming'), OTHER_ADDRESS],
  [
    'if the address was typed',
    { ...stateAt('review'), step: { name: 'review', account: typedAccount, refusal: null } },
    OTHER_ADDRESS,
  ],
  ['if it is the same account', stateAt('review'), ADDRESS.toLowerCase()],
])('the event accountSwitched changes nothing %s', ([, state, address]) => {
  expect(reduceClaim(state, { type: 'accountSwitched', address })).toBe(state);
});

test('a wallet that takes back its accounts leads back to the choice', () => {
  expectSteps(stateAt('review'), [[{ type: 'accountSwitched', address: null }, 'choose']]);
});

test('the events of a step that the person has left change nothing', () => {
  const state = reduceClaim(stateAt('signing'), { type: 'wentBack' });
  expect(state.step.name).toBe('review');
  expect(reduceClaim(state, { type: 'accountChecked', refusal: null })).toBe(state);
  expect(reduceClaim(state, claimed)).toBe(state);
});

test('a problem of the connection is kept until the next step', () => {
  const state = reduceClaim(stateAt('checking'), { type: 'problemChanged', problem: 'offline' });
  expect(state.problem).toBe('offline');
  expect(reduceClaim(state, { type: 'accountChecked', refusal: null }).problem).toBeNull();
});

test('if the person goes back after a failed claim, the code is checked again', () => {
  const failed = [
    noLastAccount,
    tokenRead(),
    codeAccepted(),
    { type: 'accountGiven', account: typedAccount } as const,
    { type: 'claimStored', claim } as const,
    { type: 'refused', refusal: refusal('NoTokensLeft') } as const,
  ].reduce(reduceClaim, startClaim(uncheckedCode, null));
  expect(failed.step.name).toBe('refused');
  const state = reduceClaim(failed, { type: 'wentBack' });
  expect(state).toMatchObject({ step: { name: 'loading' }, code: { status: 'checking' } });
});

/** The step `review` of a claim without a code, with a wallet that is on this chain. */
function atReviewOnChain(chainId: number | null): ClaimState {
  return [{ type: 'environmentRead', environment } as const, { type: 'chainRead', chainId } as const].reduce(
    reduceClaim,
    stateAt('review'),
  );
}

/** The state of a claim without a code that has reached this step. */
function stateAt(name: 'choose' | 'checking' | 'review' | 'signing' | 'claiming'): ClaimState {
  let state = startClaim(noCode, null);
  for (const event of [
    noLastAccount,
    tokenRead(),
    { type: 'accountGiven', account },
    { type: 'accountChecked', refusal: null },
    { type: 'confirmed' },
    { type: 'claimStored', claim },
  ] as const) {
    if (state.step.name === name) break;
    state = reduceClaim(state, event);
  }
  expect(state.step.name).toBe(name);
  return state;
}

/** Sends the events in order, and expects the name of the step after each. Returns the last state. */
function expectSteps(first: ClaimState, events: [ClaimEvent, string][]): ClaimState {
  let state = first;
  for (const [event, name] of events) {
    state = reduceClaim(state, event);
    expect(state.step.name, `after ${event.type}`).toBe(name);
  }
  return state;
}

function tokenRead(claimability: Partial<Token['claimabilityAttributes']> = {}) {
  const claimabilityAttributes = {
    isSignatureRequired: false,
    isAllowlistRequired: false,
    totalClaimCount: 10,
    remainingClaimCount: 5,
    expirationTimestamp: null,
    ...claimability,
  };
  return { type: 'tokenRead', token: { claimabilityAttributes } as Token, timeRefusal: null } as const;
}

function codeAccepted() {
  return { type: 'codeChecked', refusal: null } as const;
}

function codeRefused(name: RefusalName) {
  return { type: 'codeChecked', refusal: refusal(name) } as const;
}

function refusal(name: RefusalName) {
  return { name, requestId: null };
}
