import { toBadgeMessage } from '@badge/protocol';
import { checkArguments, checkClientOptions, checkWaitOptions } from './arguments.ts';
import type { BadgeClient, BadgeClientOptions } from './badge-client.ts';
import { BadgeApiError, BadgeConnectionError } from './errors.ts';
import { issueToken } from './issue.ts';
import { createList, type List } from './list.ts';
import { type PendingMove, type PendingOperation, readOperation, waitForOperation } from './operation.ts';
import { signTypedData } from './signer.ts';
import { type ApiRequest, type ApiResponse, createTransport } from './transport.ts';
import type {
  AdminAirdrop,
  CheckedOwners,
  ClaimCodeCheck,
  CommunityWithAdmins,
  ConfirmedReservation,
  CreatedApiKey,
  CreatedClaimLink,
  CreatedNftType,
  CreatedReminders,
  CreatedSession,
  EmailChallenge,
  EnsNames,
  Environment,
  Invitation,
  IssuerKey,
  Mail,
  ManagedSignature,
  Member,
  OwnersToCheck,
  Page,
  PageOptions,
  RequestOptions,
  Session,
  SignedToken,
  Signer,
  SignInChallenge,
  SnapshotScores,
  Token,
  TokenIdMessageName,
  TokenToSign,
  WebhookWithSecret,
  WriteOptions,
} from './types.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
/** The service allows 120 seconds for an upload. */
const UPLOAD_TIMEOUT_MS = 180_000;
const DEFAULT_MAX_RETRIES = 4;

/**
 * Creates a client of the service at `url`. It sends nothing yet.
 *
 * @example
 * const badge = createBadgeClient({ url: 'http://localhost:3000', apiKey: process.env.BADGE_API_KEY });
 */
export function createBadgeClient(options: BadgeClientOptions): BadgeClient {
  checkClientOptions(options);
  const { apiKey, timeoutMs, maxRetries = DEFAULT_MAX_RETRIES } = options;
  const url = readUrl(options.url);
  if (typeof (options.fetch ?? globalThis.fetch) !== 'function')
    throw new TypeError(
      '`fetch` is not a function. Where there is no global `fetch`, pass one to createBadgeClient().',
    );
  // The client calls `fetch` as a plain function, because browsers reject `fetch` as a method of another
  // object.
  const { fetch = (...request) => globalThis.fetch(...request) } = options;
  const send = createTransport({ url, apiKey, fetch });
  let environment: Environment | undefined;

  type Call = Pick<ApiRequest, 'method' | 'path'> & Partial<ApiRequest>;
  async function call(request: Call, requestOptions: RequestOptions = {}): Promise<ApiResponse> {
    const defaultMs = request.body instanceof FormData ? UPLOAD_TIMEOUT_MS : DEFAULT_TIMEOUT_MS;
    try {
      return await send({
        idempotencyKey: null,
        isRetrySafe: true,
        maxRetries,
        ...request,
        signal: requestOptions.signal,
        timeoutMs: requestOptions.timeoutMs ?? timeoutMs ?? defaultMs,
      });
    } catch (error) {
      // The operator may have changed the signing domain: read it again for the next signature.
      if (error instanceof BadgeApiError && error.name.includes('NotSigned')) environment = undefined;
      throw error;
    }
  }

  async function read<T>(path: string, requestOptions?: RequestOptions, query?: object): Promise<T> {
    const request: Call = query === undefined ? { method: 'GET', path } : { method: 'GET', path, query };
    return (await call(request, requestOptions)).body as T;
  }

  async function change<T>(path: string, body: object, requestOptions?: RequestOptions): Promise<T> {
    return (await call({ method: 'PATCH', path, body }, requestOptions)).body as T;
  }

  function list<Item, ItemPage extends Page<Item> = Page<Item>>(
    path: string,
    { limit, offset, ...filters }: PageOptions & Record<string, unknown>,
    requestOptions?: RequestOptions,
  ): List<Item, ItemPage> {
    return createList({ limit, offset }, (page) =>
      read<ItemPage>(path, requestOptions, { ...page, ...filters }),
    );
  }

  async function create(
    path: string,
    body: object,
    writeOptions: WriteOptions = {},
  ): Promise<ApiResponse & { idempotencyKey: string }> {
    const idempotencyKey = writeOptions.idempotencyKey ?? makeIdempotencyKey();
    const response = await call({ method: 'POST', path, body, idempotencyKey }, writeOptions);
    return { ...response, idempotencyKey };
  }

  async function put(path: string, requestOptions?: RequestOptions): Promise<void> {
    await call({ method: 'PUT', path }, requestOptions);
  }

  async function remove(path: string, requestOptions?: RequestOptions, query: object = {}): Promise<void> {
    await call({ method: 'DELETE', path, query }, requestOptions);
  }

  async function startOperation(
    path: string,
    body: object,
    writeOptions?: WriteOptions,
  ): Promise<PendingOperation> {
    const { headers, status, idempotencyKey } = await create(path, body, writeOptions);
    const operationId = /\/v1\/operations\/([\w-]+)$/.exec(headers.get('Location') ?? '')?.[1];
    if (operationId === undefined) {
      throw new BadgeConnectionError(
        `The response of ${url} has no Location: a proxy or the \`fetch\` of the client has removed it.`,
        { status, idempotencyKey },
      );
    }
    return {
      operationId,
      idempotencyKey,
      isReplayed: headers.get('Idempotency-Replayed') === 'true',
      async wait(waitOptions) {
        checkWaitOptions(waitOptions);
        return await waitForOperation(send, operationId, waitOptions);
      },
    };
  }

  async function getEnvironment(requestOptions?: RequestOptions): Promise<Environment> {
    environment ??= await read<Environment>('/v1/environment', requestOptions);
    return environment;
  }

  async function readSigningDomain(requestOptions?: RequestOptions) {
    // A service of an earlier release names no chains.
    const { eip712, contractWalletChainIds: walletChainIds = [] } = await getEnvironment(requestOptions);
    return { domain: eip712.domain, walletChainIds };
  }

  async function signTokenId(
    message: {
      primaryType: TokenIdMessageName;
      tokenId: number;
      signer: Signer;
      address?: string | undefined;
    },
    requestOptions?: RequestOptions,
  ) {
    const { primaryType, tokenId, signer, address } = message;
    const signing = await readSigningDomain(requestOptions);
    return await signTypedData(signer, { ...signing, primaryType, message: { tokenId } }, address);
  }

  async function checkOwners(body: OwnersToCheck, requestOptions?: RequestOptions): Promise<CheckedOwners> {
    return (await call({ method: 'POST', path: '/v1/checkOwners', body }, requestOptions))
      .body as CheckedOwners;
  }

  /** Signs an addition to the allowlist. The signer must be the creator of the token. */
  async function signAllowlist(
    tokenId: number,
    signer: Signer,
    requestOptions?: RequestOptions,
  ): Promise<string> {
    const { createdByAddress: address } = await read<Token>(tokenPath(tokenId), requestOptions);
    const message = { primaryType: 'AllowlistedAddress', tokenId, signer, address } as const;
    return (await signTokenId(message, requestOptions)).signature;
  }

  async function signToken(
    { signer, creator, ...token }: TokenToSign,
    requestOptions?: RequestOptions,
  ): Promise<SignedToken> {
    const body = {
      ...token,
      isSignatureRequired: token.isSignatureRequired ?? false,
      isAllowlistRequired: token.isAllowlistRequired ?? Array.isArray(token.contributors),
    };
    const signing = await readSigningDomain(requestOptions);
    const message = toBadgeMessage(body);
    const { address, signature } = await signTypedData(
      signer,
      { ...signing, primaryType: 'Badge', message },
      creator,
    );
    return { ...body, creator: address, signature } as SignedToken;
  }

  const client: BadgeClient = {
    async createToken(token, writeOptions) {
      const body = token.signer === undefined ? token : await signToken(token, writeOptions);
      return await startOperation('/v1/tokens', body, writeOptions);
    },

    signToken,
    signTokenId,

    listTokens: (query = {}, requestOptions) => list('/v1/tokens', { ...query }, requestOptions),
    getToken: ({ tokenId }, requestOptions) => read(tokenPath(tokenId), requestOptions),
    updateToken: ({ tokenId, ...changes }, requestOptions) =>
      change(tokenPath(tokenId), changes, requestOptions),
    replaceToken: ({ tokenId, ...body }, writeOptions) =>
      startOperation(tokenPath(tokenId, '/replace'), body, writeOptions),
    renew: ({ tokenId, ...body }, writeOptions) =>
      startOperation(tokenPath(tokenId, '/renew'), body, writeOptions),
    getTokenMetadata: ({ tokenId }, requestOptions) =>
      read(`/metadata/${encodeURIComponent(tokenId)}`, requestOptions),

    getOperation: ({ operationId, waitSeconds = 0 }, requestOptions = {}) =>
      readOperation(send, operationId, waitSeconds, {
        signal: requestOptions.signal,
        timeoutMs: requestOptions.timeoutMs ?? timeoutMs ?? DEFAULT_TIMEOUT_MS,
        maxRetries,
      }),
    waitForOperation: ({ operationId, ...waitOptions }) => waitForOperation(send, operationId, waitOptions),

    async claim({ tokenId, signer, isBySession: _, ...body }, writeOptions) {
      const path = tokenPath(tokenId, '/claim');
      if (signer === undefined) return await startOperation(path, body, writeOptions);
      const message = { primaryType: 'Claim', tokenId, signer, address: body.claimingAddress } as const;
      const { address, signature } = await signTokenId(message, writeOptions);
      return await startOperation(path, { ...body, claimingAddress: address, signature }, writeOptions);
    },
    getEligibility: ({ tokenId, address }, requestOptions) =>
      read(tokenPath(tokenId, '/eligibility'), requestOptions, { address }),
    checkClaimCode: async ({ tokenId, ...body }, requestOptions) =>
      (await call({ method: 'POST', path: tokenPath(tokenId, '/checkClaimCode'), body }, requestOptions))
        .body as ClaimCodeCheck,
    checkOwners,
    getEnsNames: async (body, requestOptions) =>
      (await call({ method: 'POST', path: '/v1/ensNames', body }, requestOptions)).body as EnsNames,
    holdsToken: async ({ tokenId, address }, requestOptions) => {
      const body = { addresses: [address], tokenIds: [tokenId] };
      return (await checkOwners(body, requestOptions)).items[0]?.tokenIds.length === 1;
    },
    getSnapshotScores: async ({ tokenId, ...body }, requestOptions) =>
      (await call({ method: 'POST', path: tokenPath(tokenId, '/snapshotScores'), body }, requestOptions))
        .body as SnapshotScores,
    listOwners: ({ tokenId, ...query }, requestOptions) =>
      list(tokenPath(tokenId, '/owners'), query, requestOptions),

    getOwner: ({ tokenId, address }, requestOptions) => read(ownerPath(tokenId, address), requestOptions),
    getCredential: ({ tokenId, address, ...query }, requestOptions) =>
      read(credentialPath(tokenId, address, '.json'), requestOptions, query),
    getCredentialPicture: async ({ tokenId, address, ...query }, requestOptions) => {
      const path = credentialPath(tokenId, address, '.png');
      return (await call({ method: 'GET', path, query, isFile: true }, requestOptions)).body as Blob;
    },
    revoke: ({ tokenId, address, ...body }, writeOptions) =>
      startOperation(ownerPath(tokenId, address, '/revoke'), body, writeOptions),
    reinstate: ({ tokenId, address, ...body }, writeOptions) =>
      startOperation(ownerPath(tokenId, address, '/reinstate'), body, writeOptions),
    move: ({ tokenId, address, ...body }, writeOptions) =>
      startOperation(ownerPath(tokenId, address, '/move'), body, writeOptions),

    async burn({ tokenId, signer, isBySession: _, ...body }, writeOptions) {
      const path = tokenPath(tokenId, '/burn');
      if (signer === undefined) return await startOperation(path, body, writeOptions);
      const message = { primaryType: 'Burn', tokenId, signer, address: body.burningAddress } as const;
      const { address, signature } = await signTokenId(message, writeOptions);
      return await startOperation(path, { burningAddress: address, signature }, writeOptions);
    },

    airdrop: ({ tokenId, ...body }, writeOptions) =>
      startOperation(tokenPath(tokenId, '/airdrop'), body, writeOptions),
    adminAirdrop: (airdrop, writeOptions) => startAdminAirdrop('', airdrop, writeOptions),
    adminAirdropWithoutConsent: (airdrop, writeOptions) =>
      startAdminAirdrop('WithoutConsentSig', airdrop, writeOptions),

    async addContributors({ tokenId, signer, ...body }, writeOptions) {
      const path = tokenPath(tokenId, '/addContributors');
      const signature =
        signer === undefined ? body.signature : await signAllowlist(tokenId, signer, writeOptions);
      return await startOperation(path, { ...body, signature }, writeOptions);
    },
    removeContributors: ({ tokenId, ...body }, writeOptions) =>
      startOperation(tokenPath(tokenId, '/removeContributors'), body, writeOptions),
    listContributors: ({ tokenId, ...query }, requestOptions) =>
      list(tokenPath(tokenId, '/contributors'), query, requestOptions),

    listRecipients: ({ tokenId, ...query }, requestOptions) =>
      list(tokenPath(tokenId, '/recipients'), query, requestOptions),
    setRecipients: async ({ tokenId, ...body }, requestOptions) =>
      (await call({ method: 'PUT', path: tokenPath(tokenId, '/recipients'), body }, requestOptions)).body as {
        updated: number;
      },
    updateRecipient: ({ tokenId, recipientId, ...changes }, requestOptions) =>
      change(recipientPath(tokenId, recipientId), changes, requestOptions),
    listRecipientHistory: ({ tokenId, recipientId, ...query }, requestOptions) =>
      list(recipientPath(tokenId, recipientId, '/history'), query, requestOptions),

    issue: (issuance, requestOptions) => issueToken(client, issuance, requestOptions),

    async createClaimLinks({ tokenId, signer, ...body }, writeOptions) {
      const path = tokenPath(tokenId, '/claimLinks');
      const signature =
        signer === undefined ? body.signature : await signAllowlist(tokenId, signer, writeOptions);
      return (await create(path, { ...body, signature }, writeOptions)).body as { items: CreatedClaimLink[] };
    },
    listClaimLinks: ({ tokenId, ...query }, requestOptions) =>
      list(tokenPath(tokenId, '/claimLinks'), query, requestOptions),
    updateClaimLink: ({ tokenId, claimLinkId, ...changes }, requestOptions) =>
      change(tokenPath(tokenId, `/claimLinks/${encodeURIComponent(claimLinkId)}`), changes, requestOptions),
    revokeClaimLink: ({ tokenId, claimLinkId }, requestOptions) =>
      remove(tokenPath(tokenId, `/claimLinks/${encodeURIComponent(claimLinkId)}`), requestOptions),

    async createInvitations({ tokenId, signer, ...body }, writeOptions) {
      const signature =
        signer === undefined ? body.signature : await signAllowlist(tokenId, signer, writeOptions);
      return (await create(invitationPath(tokenId), { ...body, signature }, writeOptions)).body as {
        items: Invitation[];
      };
    },
    listInvitations: ({ tokenId, ...query }, requestOptions) =>
      list(invitationPath(tokenId), query, requestOptions),
    previewInvitation: async ({ tokenId, ...body }, requestOptions) =>
      (await call({ method: 'POST', path: invitationPath(tokenId, 'preview'), body }, requestOptions))
        .body as Mail,
    getInvitationMail: ({ tokenId, invitationId }, requestOptions) =>
      read(`${invitationPath(tokenId, invitationId)}/mail`, requestOptions),
    resendInvitation: async ({ tokenId, invitationId }, writeOptions) =>
      (await create(`${invitationPath(tokenId, invitationId)}/resend`, {}, writeOptions)).body as Invitation,
    updateInvitation: ({ tokenId, invitationId, ...changes }, requestOptions) =>
      change(invitationPath(tokenId, invitationId), changes, requestOptions),
    revokeInvitation: ({ tokenId, invitationId }, requestOptions) =>
      remove(invitationPath(tokenId, invitationId), requestOptions),

    cancelMails: async ({ communityId, ...body }, requestOptions) =>
      (await call({ method: 'POST', path: communityPath(communityId, '/cancelMails'), body }, requestOptions))
        .body as { cancelledCount: number },

    createReminders: async ({ tokenId, ...body }, requestOptions) =>
      (await call({ method: 'POST', path: tokenPath(tokenId, '/reminders'), body }, requestOptions))
        .body as CreatedReminders,

    createReservation: async ({ tokenId, ...body }, requestOptions) => {
      const path = tokenPath(tokenId, '/reservations');
      // A second request could send a second mail.
      await call({ method: 'POST', path, body, isRetrySafe: false }, requestOptions);
    },
    confirmReservation: async ({ tokenId, ...body }, requestOptions) => {
      const path = tokenPath(tokenId, '/reservations/confirm');
      return (await call({ method: 'POST', path, body }, requestOptions)).body as ConfirmedReservation;
    },

    createResubscription: async ({ communityId, ...body }, requestOptions) => {
      const path = communityPath(communityId, '/resubscriptions');
      // A second request could send a second mail.
      await call({ method: 'POST', path, body, isRetrySafe: false }, requestOptions);
    },
    confirmResubscription: async ({ communityId, ...body }, requestOptions) => {
      const path = communityPath(communityId, '/resubscriptions/confirm');
      await call({ method: 'POST', path, body }, requestOptions);
    },

    listWalletTokens: ({ address, ...query }, requestOptions) =>
      list(`/v1/wallets/${encodeURIComponent(address)}/tokens`, query, requestOptions),

    createCommunity: async (community, writeOptions) =>
      (await create('/v1/communities', community, writeOptions)).body as CommunityWithAdmins,
    listCommunities: (query = {}, requestOptions) => list('/v1/communities', { ...query }, requestOptions),
    getCommunity: ({ communityId }, requestOptions) => read(communityPath(communityId), requestOptions),
    updateCommunity: ({ communityId, ...changes }, requestOptions) =>
      change(communityPath(communityId), changes, requestOptions),
    listCommunityTokens: ({ communityId, customAttributes, ...query }, requestOptions) =>
      list(communityPath(communityId, '/tokens'), { ...customAttributes, ...query }, requestOptions),
    getCommunityConfiguration: ({ communityId }, requestOptions) =>
      read(communityPath(communityId, '/configuration'), requestOptions),

    getIssuerKeys: async ({ communityId }, requestOptions) => {
      const keys: IssuerKey[] = [];
      const path = communityPath(communityId, '/issuerKeys');
      for await (const key of list<IssuerKey>(path, { limit: 1_000 }, requestOptions)) keys.push(key);
      return keys;
    },
    rotateIssuerKey: async ({ communityId, ...body }, writeOptions) =>
      (await create(communityPath(communityId, '/issuerKeys'), body, writeOptions)).body as IssuerKey,
    getManagedCreator: ({ communityId }, requestOptions) =>
      read(communityPath(communityId, '/managedCreator'), requestOptions),
    signWithManagedCreator: async ({ communityId, ...body }, requestOptions) => {
      const path = communityPath(communityId, '/managedCreator/sign');
      return (await call({ method: 'POST', path, body }, requestOptions)).body as ManagedSignature;
    },

    listMembers: ({ communityId, ...query }, requestOptions) =>
      list(communityPath(communityId, '/members'), query, requestOptions),
    setMember: async ({ communityId, address, keepMails, keepApiKeys, ...body }, requestOptions) => {
      const request = {
        method: 'PUT',
        path: memberPath(communityId, address),
        query: { keepMails, keepApiKeys },
        body,
      } as const;
      return (await call(request, requestOptions)).body as Member;
    },
    removeMember: ({ communityId, address, keepMails, keepApiKeys }, requestOptions) =>
      remove(memberPath(communityId, address), requestOptions, { keepMails, keepApiKeys }),

    createSignInChallenge: async (body, requestOptions) =>
      (await call({ method: 'POST', path: '/v1/sessions/challenge', body }, requestOptions))
        .body as SignInChallenge,
    createEmailChallenge: async (body, requestOptions) => {
      const path = '/v1/sessions/emailChallenge';
      return (await call({ method: 'POST', path, body, isRetrySafe: false }, requestOptions))
        .body as EmailChallenge;
    },
    signIn: async (body, requestOptions) =>
      (await call({ method: 'POST', path: '/v1/sessions', body, isRetrySafe: false }, requestOptions))
        .body as CreatedSession,
    getSession: (requestOptions) => read('/v1/sessions/current', requestOptions),
    getCaller: (requestOptions) => read('/v1/caller', requestOptions),
    listSessions: (query = {}, requestOptions) => list('/v1/sessions', { ...query }, requestOptions),
    listOwnTokens: (query = {}, requestOptions) =>
      list('/v1/sessions/current/tokens', { ...query }, requestOptions),
    async moveBadges({ signer, ...body }, writeOptions) {
      const path = '/v1/sessions/current/moveBadges';
      if (signer === undefined)
        return (await startOperation(path, body, writeOptions)) as object as PendingMove;
      const { emailHash, moveNonce } = await read<Session>('/v1/sessions/current', writeOptions);
      const signing = await readSigningDomain(writeOptions);
      const message = { emailHash, nonce: moveNonce };
      const { address, signature } = await signTypedData(
        signer,
        { ...signing, primaryType: 'ReceiveBadges', message },
        body.toAddress,
      );
      const move = { ...body, toAddress: address, signature };
      return (await startOperation(path, move, writeOptions)) as object as PendingMove;
    },
    removeDefaultAddress: (requestOptions) => remove('/v1/sessions/current/defaultAddress', requestOptions),
    hideOwnToken: ({ tokenId }, requestOptions) => put(ownPath('hiddenTokens', tokenId), requestOptions),
    showOwnToken: ({ tokenId }, requestOptions) => remove(ownPath('hiddenTokens', tokenId), requestOptions),
    listRefusedCommunities: (query = {}, requestOptions) =>
      list('/v1/sessions/current/refusedCommunities', { ...query }, requestOptions),
    refuseCommunity: ({ communityId }, requestOptions) =>
      put(ownPath('refusedCommunities', communityId), requestOptions),
    acceptCommunity: ({ communityId }, requestOptions) =>
      remove(ownPath('refusedCommunities', communityId), requestOptions),
    signOut: (requestOptions) => remove('/v1/sessions/current', requestOptions),
    signOutEverywhere: (requestOptions) => remove('/v1/sessions', requestOptions),

    async createApiKey({ communityId, ...body }, requestOptions) {
      const path = communityPath(communityId, '/apiKeys');
      return (await call({ method: 'POST', path, body, isRetrySafe: false }, requestOptions))
        .body as CreatedApiKey;
    },
    listApiKeys: ({ communityId, ...query }, requestOptions) =>
      list(communityPath(communityId, '/apiKeys'), query, requestOptions),
    revokeApiKey: ({ communityId, apiKeyId, keepMails }, requestOptions) =>
      remove(communityPath(communityId, `/apiKeys/${encodeURIComponent(apiKeyId)}`), requestOptions, {
        keepMails,
      }),

    createNftType: async ({ communityId, ...parts }, writeOptions) =>
      (await create(communityPath(communityId, '/nftTypes'), toForm(parts), writeOptions))
        .body as CreatedNftType,
    listNftTypes: ({ communityId, ...query }, requestOptions) =>
      list(communityPath(communityId, '/nftTypes'), query, requestOptions),
    getNftTypePreview: async ({ communityId, nftTypeId, headline }, requestOptions) => {
      const path = communityPath(communityId, `/nftTypes/${encodeURIComponent(nftTypeId)}/preview`);
      return (await call({ method: 'GET', path, query: { headline }, isFile: true }, requestOptions))
        .body as Blob;
    },
    deleteNftType: ({ communityId, nftTypeId }, requestOptions) =>
      remove(communityPath(communityId, `/nftTypes/${encodeURIComponent(nftTypeId)}`), requestOptions),

    exportCommunity: async ({ communityId, ...body }, writeOptions) =>
      await startOperation(communityPath(communityId, '/exports'), body, writeOptions),
    getExport: ({ communityId, exportId }, requestOptions) =>
      read(communityPath(communityId, `/exports/${encodeURIComponent(exportId)}`), requestOptions),
    importBadges: async ({ communityId, ...parts }, writeOptions) =>
      await startOperation(communityPath(communityId, '/imports'), toForm(parts), writeOptions),
    getImport: ({ communityId, importId }, requestOptions) =>
      read(communityPath(communityId, `/imports/${encodeURIComponent(importId)}`), requestOptions),

    createWebhook: async ({ communityId, ...body }, requestOptions) =>
      (
        await call(
          { method: 'POST', path: communityPath(communityId, '/webhooks'), body, isRetrySafe: false },
          requestOptions,
        )
      ).body as WebhookWithSecret,
    listWebhooks: ({ communityId, ...query }, requestOptions) =>
      list(communityPath(communityId, '/webhooks'), query, requestOptions),
    updateWebhook: ({ communityId, webhookId, ...changes }, requestOptions) =>
      change(webhookPath(communityId, webhookId), changes, requestOptions),
    deleteWebhook: ({ communityId, webhookId }, requestOptions) =>
      remove(webhookPath(communityId, webhookId), requestOptions),
    rotateWebhookSecret: async ({ communityId, webhookId }, requestOptions) => {
      const path = webhookPath(communityId, webhookId, '/rotateSecret');
      return (await call({ method: 'POST', path, isRetrySafe: false }, requestOptions))
        .body as WebhookWithSecret;
    },
    testWebhook: async ({ communityId, webhookId }, writeOptions) =>
      (await create(webhookPath(communityId, webhookId, '/test'), {}, writeOptions)).body as {
        deliveryId: string;
      },
    listWebhookDeliveries: ({ communityId, webhookId, ...query }, requestOptions) =>
      list(webhookPath(communityId, webhookId, '/deliveries'), query, requestOptions),
    redeliverWebhook: async ({ communityId, webhookId, deliveryId }, writeOptions) => {
      const path = webhookPath(
        communityId,
        webhookId,
        `/deliveries/${encodeURIComponent(deliveryId)}/redeliver`,
      );
      return (await create(path, {}, writeOptions)).body as { deliveryId: string };
    },

    listAuditLog: (filter = {}, requestOptions) => list('/v1/auditLog', { ...filter }, requestOptions),
    readEvents: ({ communityId, ...query }, requestOptions) =>
      read(communityPath(communityId, '/events'), requestOptions, query),
    getEnvironment,
  };
  return checkArguments(client);

  async function startAdminAirdrop(
    pathSuffix: string,
    { tokenId, signer, ...body }: AdminAirdrop,
    writeOptions?: WriteOptions,
  ): Promise<PendingOperation> {
    const path = tokenPath(tokenId, `/communityAdminAirdrop${pathSuffix}`);
    if (signer === undefined) return await startOperation(path, body, writeOptions);
    const message = {
      primaryType: 'CommunityAdminAirdrop',
      tokenId,
      signer,
      address: body.adminAddress,
    } as const;
    const { address, signature } = await signTokenId(message, writeOptions);
    return await startOperation(
      path,
      { ...body, adminAddress: address, adminSignature: signature },
      writeOptions,
    );
  }
}

/** Returns the address of the service without a slash at its end. */
function readUrl(url: string | URL): string {
  const text = String(url);
  // `localhost:3000` is a valid URL, whose scheme is `localhost`.
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new TypeError(`\`url\` must be an address such as http://localhost:3000, but is ${text}.`);
  return new URL(text).href.replace(/\/+$/, '');
}

function tokenPath(tokenId: number, rest = ''): string {
  return `/v1/tokens/${encodeURIComponent(tokenId)}${rest}`;
}

function ownerPath(tokenId: number, address: string, rest = ''): string {
  return tokenPath(tokenId, `/owners/${encodeURIComponent(address)}${rest}`);
}

function credentialPath(tokenId: number, address: string, ending: string): string {
  return tokenPath(tokenId, `/credentials/${encodeURIComponent(address)}${ending}`);
}

function invitationPath(tokenId: number, id?: string): string {
  return tokenPath(tokenId, `/invitations${id === undefined ? '' : `/${encodeURIComponent(id)}`}`);
}

function recipientPath(tokenId: number, id: string, rest = ''): string {
  return tokenPath(tokenId, `/recipients/${encodeURIComponent(id)}${rest}`);
}

function memberPath(communityId: string, address: string): string {
  return communityPath(communityId, `/members/${encodeURIComponent(address)}`);
}

function ownPath(listName: string, id: string | number): string {
  return `/v1/sessions/current/${listName}/${encodeURIComponent(id)}`;
}

function communityPath(communityId: string, rest = ''): string {
  return `/v1/communities/${encodeURIComponent(communityId)}${rest}`;
}

function webhookPath(communityId: string, webhookId: string, rest = ''): string {
  return communityPath(communityId, `/webhooks/${encodeURIComponent(webhookId)}${rest}`);
}

/** A form with files, texts, truth values, and objects as JSON. */
function toForm(parts: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (value === undefined) continue;
    const isPlain = typeof value === 'object' && !(value instanceof Blob);
    form.append(name, isPlain ? JSON.stringify(value) : value);
  }
  return form;
}

// Not crypto.randomUUID(), which browsers have only on https pages and on localhost.
function makeIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
