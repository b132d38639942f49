import { EIP712_TYPES } from '@badge/protocol';
import type { BadgeClient, BadgeClientOptions } from './badge-client.ts';
import type {
  ContributorEntry,
  CustomAttribute,
  NewInvitations,
  NewToken,
  Person,
  RequestOptions,
  Signer,
  WriteOptions,
} from './types.ts';

// The fields of every argument. Their types are made from those of the methods: a field that is missing here,
// that the method does not know, or that has another kind does not compile.

type KeyOf<T> = T extends unknown ? keyof T : never;
type ValueOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : undefined) : never;
type KindOf<T> = [T] extends [string]
  ? 'string'
  : [T] extends [number]
    ? 'number'
    : [T] extends [boolean]
      ? 'boolean'
      : [T] extends [readonly unknown[]]
        ? 'array'
        : [T] extends [Signer]
          ? 'any'
          : [T] extends [(...all: never) => unknown]
            ? 'function'
            : [T] extends [object]
              ? 'object'
              : 'any';
/** The fields of an object, or of several forms of it. A kind ends in `?` if the field can be left out. */
type Fields<T> = {
  [K in KeyOf<T>]-?: `${KindOf<NonNullable<ValueOf<T, K>>>}${undefined extends ValueOf<T, K> ? '?' : ''}`;
};
type AnyFields = Record<string, string>;

type Method = keyof BadgeClient;
type Argument<M extends Method> = NonNullable<Parameters<BadgeClient[M]>[0]>;
type Options<M extends Method> = NonNullable<Parameters<BadgeClient[M]>[1]>;
/** The methods that take an `idempotencyKey`. */
type WriteMethod = {
  [M in Method]: [Options<M>] extends [never] ? never : 'idempotencyKey' extends keyof Options<M> ? M : never;
}[Method];

const N = 'number';
const S = 'string';
const N_ = 'number?';
const S_ = 'string?';
const B_ = 'boolean?';
const A_ = 'array?';
const PAGE = { limit: N_, offset: N_ } as const;
const TOKEN = { tokenId: N } as const;
const TOKEN_PAGE = { ...TOKEN, ...PAGE } as const;
const OWNER = { ...TOKEN, address: S } as const;
const CHANGE = { ...OWNER, reason: S } as const;
const COMMUNITY = { communityId: S } as const;
const COMMUNITY_PAGE = { ...COMMUNITY, ...PAGE } as const;
const MEMBER = { ...COMMUNITY, address: S } as const;
const WEBHOOK = { ...COMMUNITY, webhookId: S } as const;
const LINK = { ...TOKEN, claimLinkId: S } as const;
const INVITATION = { ...TOKEN, invitationId: S } as const;
const DESIGN = { ...COMMUNITY, nftTypeId: S } as const;
const SIGNED = { signer: 'any?', signature: S_ } as const;
const PERSON = { name: S_, email: S_, note: S_ } as const satisfies Fields<Person>;
const REQUEST_OPTIONS = { signal: 'object?', timeoutMs: N_ } as const satisfies Fields<RequestOptions>;
const WRITE_OPTIONS = { ...REQUEST_OPTIONS, idempotencyKey: S_ } as const satisfies Fields<WriteOptions>;
const VALIDITY = { validUntilTimestamp: N_, validityDays: N_ } as const;
const NEW_TOKEN = {
  headline: S,
  description: S_,
  startDateTimestamp: N_,
  endDateTimestamp: N_,
  links: A_,
  communityId: S,
  nftTypeId: S,
  isSignatureRequired: B_,
  isAllowlistRequired: B_,
  totalClaimCount: N_,
  contributors: A_,
  expirationTimestamp: N_,
  customAttributes: A_,
  criteria: S_,
  claimableFromTimestamp: N_,
  ...VALIDITY,
} as const satisfies Fields<NewToken>;
const AIRDROP = {
  ...TOKEN,
  receivingAddress: S,
  signer: 'any?',
  adminAddress: S_,
  adminSignature: S_,
} as const;
const COMMUNITY_FIELDS = { uniqId: S_, description: S_, logoUrl: S_, adminAddresses: A_ } as const;

const READS: { [M in Exclude<Method, WriteMethod>]: Fields<Argument<M>> } = {
  signToken: { ...NEW_TOKEN, signer: 'any', creator: S_, signature: S_ },
  signTokenId: { ...TOKEN, primaryType: S, signer: 'any', address: S_ },
  listTokens: { ...PAGE, order: S_ },
  getToken: TOKEN,
  updateToken: { ...TOKEN, isHidden: B_, criteria: S_, claimableFromTimestamp: N_, ...VALIDITY },
  getTokenMetadata: TOKEN,
  getOperation: { operationId: S, waitSeconds: N_ },
  waitForOperation: { operationId: S, ...REQUEST_OPTIONS },
  getEligibility: OWNER,
  checkClaimCode: { ...TOKEN, claimCode: S },
  listOwners: { ...TOKEN_PAGE, status: S_, search: S_ },
  getOwner: OWNER,
  getCredential: { ...OWNER, with: S_, name: S_ },
  getCredentialPicture: { ...OWNER, with: S_, name: S_ },
  checkOwners: { addresses: 'array', tokenIds: 'array' },
  getEnsNames: { addresses: 'array' },
  holdsToken: OWNER,
  getSnapshotScores: { ...TOKEN, addresses: 'array' },
  listContributors: TOKEN_PAGE,
  listRecipients: {
    ...TOKEN_PAGE,
    search: S_,
    status: S_,
    way: S_,
    claimLinkId: S_,
    endsWithinDays: N_,
    order: S_,
  },
  setRecipients: { ...TOKEN, items: 'array' },
  updateRecipient: { ...TOKEN, recipientId: S, ...PERSON },
  listRecipientHistory: { ...TOKEN_PAGE, recipientId: S },
  issue: { ...TOKEN, ...SIGNED, recipients: 'array', onResult: 'function?' },
  listClaimLinks: { ...TOKEN_PAGE, status: S_, isForRoom: B_, order: S_ },
  updateClaimLink: { ...LINK, isPaused: B_, maxClaims: N_, startsAtTimestamp: N_, expiresAtTimestamp: N_ },
  revokeClaimLink: LINK,
  createReminders: { ...TOKEN, kind: S, recipientIds: A_, isDryRun: B_ },
  updateInvitation: { ...INVITATION, sendAtTimestamp: N_ },
  listInvitations: { ...TOKEN_PAGE, status: S_ },
  previewInvitation: {
    ...TOKEN,
    name: S_,
    language: S_,
    message: S_,
    address: S_,
    expiresAtTimestamp: N_,
    timeZone: S_,
  },
  getInvitationMail: INVITATION,
  revokeInvitation: INVITATION,
  cancelMails: { ...COMMUNITY, tokenId: N_, email: S_, createdByAddress: S_ },
  createReservation: { ...TOKEN, email: S, claimCode: S, language: S_ },
  confirmReservation: { ...TOKEN, confirmationCode: S },
  createResubscription: { ...COMMUNITY, email: S, language: S_ },
  confirmResubscription: { ...COMMUNITY, confirmationCode: S },
  listWalletTokens: { ...PAGE, address: S, claimStatus: S_, communityId: S_, tokenId: N_ },
  listCommunities: PAGE,
  getCommunity: COMMUNITY,
  updateCommunity: {
    ...COMMUNITY,
    ...COMMUNITY_FIELDS,
    displayId: S_,
    name: S_,
    contractWalletChainId: N_,
    reminders: 'object?',
    hasManagedCreator: B_,
  },
  listCommunityTokens: {
    ...COMMUNITY_PAGE,
    order: S_,
    headline: S_,
    isHidden: B_,
    customAttributes: 'object?',
  },
  getCommunityConfiguration: COMMUNITY,
  getIssuerKeys: COMMUNITY,
  getManagedCreator: COMMUNITY,
  signWithManagedCreator: { ...COMMUNITY, primaryType: S, message: 'object' },
  listMembers: COMMUNITY_PAGE,
  setMember: { ...MEMBER, role: S, keepMails: B_, keepApiKeys: B_ },
  removeMember: { ...MEMBER, keepMails: B_, keepApiKeys: B_ },
  createSignInChallenge: { address: S, chainId: N_ },
  createEmailChallenge: { email: S, language: S_, returnPath: S_ },
  signIn: { message: S_, signature: S_, challengeId: S_, code: S_ },
  getSession: REQUEST_OPTIONS,
  getCaller: REQUEST_OPTIONS,
  listSessions: PAGE,
  listOwnTokens: PAGE,
  removeDefaultAddress: REQUEST_OPTIONS,
  hideOwnToken: TOKEN,
  showOwnToken: TOKEN,
  listRefusedCommunities: PAGE,
  refuseCommunity: COMMUNITY,
  acceptCommunity: COMMUNITY,
  signOut: REQUEST_OPTIONS,
  signOutEverywhere: REQUEST_OPTIONS,
  createApiKey: { ...COMMUNITY, name: S, role: S_, expiresAtTimestamp: N_ },
  listApiKeys: COMMUNITY_PAGE,
  revokeApiKey: { ...COMMUNITY, apiKeyId: S, keepMails: B_ },
  listNftTypes: COMMUNITY_PAGE,
  getNftTypePreview: { ...DESIGN, headline: S },
  deleteNftType: DESIGN,
  getExport: { ...COMMUNITY, exportId: N },
  getImport: { ...COMMUNITY, importId: N },
  listAuditLog: {
    ...PAGE,
    communityId: S_,
    apiKeyId: S_,
    action: S_,
    fromTimestamp: N_,
    beforeTimestamp: N_,
  },
  readEvents: { ...COMMUNITY, after: S_, limit: N_, wait: N_ },
  createWebhook: { ...COMMUNITY, url: S, name: S, events: A_ },
  listWebhooks: COMMUNITY_PAGE,
  updateWebhook: { ...WEBHOOK, url: S_, name: S_, events: A_, isEnabled: B_ },
  deleteWebhook: WEBHOOK,
  rotateWebhookSecret: WEBHOOK,
  listWebhookDeliveries: { ...WEBHOOK, ...PAGE, status: S_ },
  getEnvironment: REQUEST_OPTIONS,
};
const WRITES: { [M in WriteMethod]: Fields<Argument<M>> } = {
  createToken: { ...NEW_TOKEN, ...SIGNED, creator: S_ },
  claim: { ...TOKEN, ...SIGNED, claimingAddress: S_, identifier: S_, claimCode: S_, isBySession: B_ },
  revoke: CHANGE,
  reinstate: CHANGE,
  move: { ...CHANGE, toAddress: S },
  replaceToken: { ...TOKEN, replacementTokenId: N },
  renew: { ...TOKEN, addresses: 'array', validUntilTimestamp: N },
  burn: { ...TOKEN, ...SIGNED, burningAddress: S_, isBySession: B_ },
  moveBadges: { ...SIGNED, toAddress: S_, isDefault: B_ },
  airdrop: OWNER,
  adminAirdrop: { ...AIRDROP, receiverSignature: S },
  adminAirdropWithoutConsent: AIRDROP,
  addContributors: { ...TOKEN, ...SIGNED, contributors: 'array' },
  removeContributors: { ...TOKEN, contributors: 'array' },
  createClaimLinks: {
    ...TOKEN,
    ...SIGNED,
    identifiers: A_,
    people: A_,
    count: N_,
    maxClaims: N_,
    maxClaimsPerClient: N_,
    startsAtTimestamp: N_,
    expiresAtTimestamp: N_,
    isSignatureRequired: B_,
  },
  createInvitations: {
    ...TOKEN,
    ...SIGNED,
    recipients: 'array',
    message: S_,
    expiresAtTimestamp: N_,
    sendAtTimestamp: N_,
    timeZone: S_,
  },
  resendInvitation: INVITATION,
  createCommunity: { ...COMMUNITY_FIELDS, displayId: S, name: S },
  rotateIssuerKey: { ...COMMUNITY, isSeedReplaced: B_ },
  createNftType: { ...COMMUNITY, name: S, assetFile: 'object', nftTypeId: S_, alias: S_ },
  exportCommunity: { ...COMMUNITY, people: S, recipientKey: S_ },
  importBadges: { ...COMMUNITY, file: 'object', format: S, isDryRun: 'boolean', mapping: 'object?' },
  testWebhook: WEBHOOK,
  redeliverWebhook: { ...WEBHOOK, deliveryId: S },
};
const CLIENT_OPTIONS: Fields<BadgeClientOptions> = {
  url: 'any',
  apiKey: S_,
  fetch: 'function?',
  timeoutMs: N_,
  maxRetries: N_,
};
const ATTRIBUTE: Fields<CustomAttribute> = { fieldName: S, type: S, value: 'any' };
const RECIPIENT: Fields<NewInvitations['recipients'][number]> = {
  email: S,
  address: S_,
  name: S_,
  language: S_,
};

const ENTRY = { ...PERSON, contributor: S } as const satisfies Fields<Exclude<ContributorEntry, string>>;
/** The fields of the items of an array that are objects. */
const ITEMS: Record<string, AnyFields> = {
  customAttributes: ATTRIBUTE,
  recipients: RECIPIENT,
  contributors: ENTRY,
  identifiers: ENTRY,
  items: ENTRY,
  people: PERSON,
};

/** Fields of which one is needed, or several together. */
const ALTERNATIVES: { [M in Method]?: string[][] } = {
  createToken: [
    ['signer', 'creator` and `signature'],
    ['totalClaimCount', 'contributors'],
  ],
  signToken: [['totalClaimCount', 'contributors']],
  claim: [['signer', 'claimingAddress', 'isBySession']],
  burn: [['signer', 'burningAddress` and `signature', 'isBySession']],
  moveBadges: [['signer', 'toAddress` and `signature']],
  adminAirdrop: [['signer', 'adminAddress` and `adminSignature']],
  adminAirdropWithoutConsent: [['signer', 'adminAddress` and `adminSignature']],
  addContributors: [['signer', 'signature']],
  createClaimLinks: [['identifiers', 'count', 'maxClaims']],
  signIn: [['message` and `signature', 'challengeId` and `code']],
};

/** A timestamp below this is in seconds: in milliseconds, it would be before March 1973. */
const FIRST_MS = 1e11;

/** Returns the client with methods that first check their arguments. They throw a TypeError for a mistake. */
export function checkArguments(client: BadgeClient): BadgeClient {
  const methods = client as unknown as Record<string, (...all: unknown[]) => unknown>;
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (...all: unknown[]) => {
        const call = () => {
          const [argument, options] = all;
          const isWrite = name in WRITES;
          const fields = ((isWrite ? WRITES : READS) as Record<string, AnyFields>)[name] ?? {};
          // Some methods have their options in their only argument.
          const others = 'signal' in fields ? {} : REQUEST_OPTIONS;
          check(`${name}()`, argument, fields, ALTERNATIVES[name as Method]);
          check(`The second argument of ${name}()`, options, isWrite ? WRITE_OPTIONS : others);
          return method(...all);
        };
        return name.startsWith('list') ? call() : (async () => await call())();
      },
    ]),
  ) as unknown as BadgeClient;
}

/** Checks the argument of createBadgeClient(). */
export function checkClientOptions(options: unknown): void {
  check('createBadgeClient()', options, CLIENT_OPTIONS);
}

/** Checks the argument of `wait()`. */
export function checkWaitOptions(options: unknown): void {
  check('wait()', options, REQUEST_OPTIONS);
}

function check(place: string, given: unknown, fields: AnyFields, alternatives: string[][] = []): void {
  const names = Object.keys(fields);
  const quote = (list: string[]) => list.map((name) => `\`${name}\``);
  if (given !== undefined && kindOf(given) !== 'object')
    throw new TypeError(
      `${place} takes an object with ${quote(names).join(', ')}, but got ${describe(given)}.`,
    );
  const values = (given ?? {}) as Record<string, unknown>;
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(fields, name)) continue;
    const [nearest = ''] = names.toSorted((a, b) => distance(a, name) - distance(b, name));
    const isNear = distance(nearest, name) <= 1 + name.length / 4;
    throw new TypeError(
      `${place} has no \`${name}\`. ${isNear ? `Did you mean \`${nearest}\`?` : `It has ${quote(names).join(', ')}.`}`,
    );
  }
  const isGiven = (name: string) => (values[name] ?? null) !== null;
  const missing = [
    ...quote(names.filter((name) => !fields[name]?.endsWith('?') && !isGiven(name))),
    ...alternatives
      .filter((forms) => !forms.some((form) => form.split('` and `').every(isGiven)))
      .map((forms) => quote(forms).join(' or ')),
  ];
  if (missing.length > 0) throw new TypeError(`${place} needs ${missing.join(', ')}.`);
  for (const name of names.filter(isGiven)) checkField(place, name, values, fields[name] ?? '');
}

function checkField(place: string, name: string, values: Record<string, unknown>, field: string): void {
  const value = values[name];
  const kind = field.replace('?', '');
  const article = /^[ao]/.test(kind) ? 'an' : 'a';
  if (kind !== 'any' && kindOf(value) !== kind)
    throw new TypeError(`\`${name}\` of ${place} must be ${article} ${kind}, but is ${describe(value)}.`);
  if (name.endsWith('Timestamp') && (value as number) > 0 && (value as number) < FIRST_MS)
    throw new TypeError(
      `\`${name}\` of ${place} is in milliseconds since 1970, but ${value} is in seconds. Write ${value} * 1000.`,
    );
  const items = kind === 'array' ? (value as unknown[]) : [];
  for (const [index, item] of items.entries()) {
    const itemFields = ITEMS[name];
    if (itemFields !== undefined && kindOf(item) === 'object')
      check(`\`${name}[${index}]\` of ${place}`, item, itemFields);
  }
  if (kind === 'object' && name === 'message') checkMessage(place, value, values.primaryType);
}

function checkMessage(place: string, message: unknown, primaryType: unknown): void {
  const kinds: Record<string, string> = { bool: 'boolean', string: S, 'string[]': 'array' };
  const types = EIP712_TYPES[primaryType as 'Badge'] ?? [];
  if (types.length > 0)
    check(
      `\`message\` of ${place}`,
      message,
      Object.fromEntries(types.map(({ name, type }) => [name, kinds[type] ?? N])),
    );
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null || Number.isNaN(value) ? String(value) : typeof value;
}

function describe(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(value)
    : kindOf(value) === 'object'
      ? 'an object'
      : String(value);
}

/** How many letters must change, be added or be left out, so that one text becomes the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let at = 0; at < to.length; at += 1)
      next.push(
        Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === to[at] ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
