import type { List } from './list.ts';
import type { PendingMove, PendingOperation, PendingTransfer } from './operation.ts';
import type {
  AddedContributors,
  AddressAndSignature,
  AdminAirdrop,
  ApiKey,
  AuditEntry,
  AuditLogFilter,
  BadgeCredential,
  BadgeImport,
  BadgeMove,
  Burn,
  Caller,
  CheckedOwners,
  Claim,
  ClaimCodeCheck,
  ClaimLink,
  ClaimLinkChanges,
  ClaimLinksFilter,
  Community,
  CommunityChanges,
  CommunityConfiguration,
  CommunityExport,
  CommunityToken,
  CommunityTokensFilter,
  CommunityWithAdmins,
  ConfirmedReservation,
  Contributor,
  CountedPage,
  CreatedApiKey,
  CreatedClaimLink,
  CreatedNftType,
  CreatedReminders,
  CreatedSession,
  CredentialQuery,
  Eligibility,
  EmailChallenge,
  EnsNames,
  Environment,
  EventPage,
  EventsQuery,
  Invitation,
  InvitationPreview,
  InvitationsFilter,
  Issuance,
  IssueResult,
  IssuerKey,
  Mail,
  ManagedCreator,
  ManagedMessage,
  ManagedSignature,
  Member,
  NewApiKey,
  NewClaimLinks,
  NewCommunity,
  NewEmailChallenge,
  NewExport,
  NewImport,
  NewInvitations,
  NewNftType,
  NewReservation,
  NewResubscription,
  NewWebhook,
  NftType,
  Operation,
  Owner,
  OwnerChange,
  OwnerState,
  OwnersToCheck,
  OwnToken,
  PageOptions,
  Person,
  Recipient,
  RecipientFilter,
  RecipientHistoryEntry,
  RefusedCommunity,
  RequestOptions,
  Role,
  Session,
  SessionItem,
  SignedToken,
  Signer,
  SignInChallenge,
  SnapshotScores,
  SuccessfulOperation,
  Token,
  TokenChanges,
  TokenIdMessageName,
  TokenMetadata,
  TokenToSign,
  WaitOptions,
  WalletToken,
  WalletTokensFilter,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookWithSecret,
  WriteOptions,
} from './types.ts';

/**
 * How to reach a service.
 *
 * @example
 * const options: BadgeClientOptions = { url: 'https://badge.example', apiKey: 'badge_production_…' };
 */
export interface BadgeClientOptions {
  /** The address of the service, without `/v1`. */
  url: string | URL;
  /**
   * A community's key, the operator's, or the token of a session. Never give a key to a browser: the users of
   * the page can read it.
   */
  apiKey?: string | undefined;
  /** Sends the requests, instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How long one attempt of a request may take, in milliseconds; by default 60,000, for uploads 180,000. */
  timeoutMs?: number | undefined;
  /** The most retries of a request after transient errors, if a retry is safe; by default 4. */
  maxRetries?: number | undefined;
}

/**
 * A client of one service, with a method for each call below `/v1`, and for the metadata of tokens.
 *
 * A method retries its request after a lost connection, 408, 429, 502, 503, 504 and the error
 * `IdempotencyKeyInUse`. A retry waits for the time in `Retry-After`; if this is more than a minute, there is
 * no retry. Requests that create something or start an operation carry an `Idempotency-Key`, so a retry has
 * no second effect. Only createApiKey(), signIn(), createEmailChallenge(), createReservation() and
 * createResubscription() have no such key. They are never retried.
 *
 * @example
 * const badge: BadgeClient = createBadgeClient({ url: 'http://localhost:3000', apiKey });
 */
export interface BadgeClient {
  /**
   * Creates a token. Signs it with `signer`, unless it is signed already. Needs the community's key.
   *
   * @example
   * const operation = await badge.createToken({
   *   signer: account,
   *   communityId: 'demo',
   *   headline: 'Speaker 2026',
   *   nftTypeId: 'defaultOrangeRed',
   *   totalClaimCount: 100,
   * });
   * const { tokenId } = await operation.wait();
   */
  createToken(token: TokenToSign | SignedToken, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Signs a token without sending it. A backend that has the key can pass the result to createToken().
   *
   * @example
   * const signed = await badge.signToken({
   *   signer: provider,
   *   communityId: 'demo',
   *   headline: 'Speaker 2026',
   *   nftTypeId: 'defaultOrangeRed',
   *   contributors: ['ada@example.org'],
   * });
   * await fetch('/badges', { method: 'POST', body: JSON.stringify(signed) });
   */
  signToken(token: TokenToSign, options?: RequestOptions): Promise<SignedToken>;

  /**
   * Signs a message that contains only the id of a token, without sending it. `address` is the address that
   * must sign, by default that of the signer.
   *
   * @example
   * const claim = { primaryType: 'Claim', tokenId: 1, signer: provider } as const;
   * const { address, signature } = await badge.signTokenId(claim);
   */
  signTokenId(
    message: {
      primaryType: TokenIdMessageName;
      tokenId: number;
      signer: Signer;
      address?: string | undefined;
    },
    options?: RequestOptions,
  ): Promise<AddressAndSignature>;

  /**
   * Lists all visible tokens, the oldest first, or the newest first with `order: 'desc'`.
   *
   * @example
   * for await (const token of badge.listTokens()) console.log(token.tokenId, token.headline);
   */
  listTokens(
    options?: PageOptions & { order?: 'asc' | 'desc' | undefined },
    requestOptions?: RequestOptions,
  ): List<Token>;

  /**
   * Returns a token.
   *
   * @example
   * const { headline, imageUrl } = await badge.getToken({ tokenId: 1 });
   */
  getToken(token: { tokenId: number }, options?: RequestOptions): Promise<Token>;

  /**
   * Hides a token from lists or shows it again, and changes its criteria and its times. Needs the
   * community's key.
   *
   * @example
   * await badge.updateToken({ tokenId: 1, isHidden: true });
   */
  updateToken(token: { tokenId: number } & TokenChanges, options?: RequestOptions): Promise<Token>;

  /**
   * Moves everybody from a token to a corrected one: owners, the allowlist, claim links, invitations and
   * reservations. The old token then has `replacedByTokenId`, and codes that were made for it work at both.
   * Needs the community's key.
   *
   * @example
   * const operation = await badge.replaceToken({ tokenId: 1, replacementTokenId: 2 });
   * await operation.wait();
   */
  replaceToken(
    replacement: { tokenId: number; replacementTokenId: number },
    options?: WriteOptions,
  ): Promise<PendingOperation>;

  /**
   * Renews a token for up to 1,000 addresses that have it, also if it has expired: it ends at another time
   * for them. Needs the community's key.
   *
   * @example
   * const validUntilTimestamp = Date.now() + 365 * 86_400_000;
   * const operation = await badge.renew({ tokenId: 1, addresses: ['0x…'], validUntilTimestamp });
   * await operation.wait();
   */
  renew(
    renewal: { tokenId: number; addresses: readonly string[]; validUntilTimestamp: number },
    options?: WriteOptions,
  ): Promise<PendingOperation>;

  /**
   * Returns the ERC-1155 metadata of a token.
   *
   * @example
   * const { name, image } = await badge.getTokenMetadata({ tokenId: 1 });
   */
  getTokenMetadata(token: { tokenId: number }, options?: RequestOptions): Promise<TokenMetadata>;

  /**
   * Returns an operation. With `waitSeconds` (0 to 30), the service responds when the operation is final, or
   * after this time.
   *
   * @example
   * const { status, error } = await badge.getOperation({ operationId });
   */
  getOperation(
    operation: { operationId: string; waitSeconds?: number | undefined },
    options?: RequestOptions,
  ): Promise<Operation>;

  /**
   * Waits until an operation has succeeded, like `wait()` of a `PendingOperation`. Any process can wait for
   * an operation.
   *
   * @example
   * const { tokenId } = await badge.waitForOperation({ operationId });
   */
  waitForOperation(operation: { operationId: string } & WaitOptions): Promise<SuccessfulOperation>;

  /**
   * Claims a token. With `signer`, the token is claimed for the address of the signer. Without `signer`, pass
   * `claimingAddress`. Such a claim needs a `signature` from signTokenId(), the code of a claim link, or the
   * community's key. If the token requires the claimer's signature, a code or a key is not enough. With the
   * community's key, `identifier` claims for an identifier on the allowlist. With `isBySession`, somebody who
   * has signed in with an e-mail claims, and the service keeps the token for this person.
   *
   * @example
   * const operation = await badge.claim({ tokenId: 1, signer: provider });
   * await operation.wait();
   *
   * @example
   * await badge.claim({ tokenId: 1, claimingAddress: account.address, claimCode });
   *
   * @example
   * await badge.claim({ tokenId: 1, claimingAddress: account.address, identifier: 'ada@example.org' });
   *
   * @example
   * await badge.claim({ tokenId: 1, isBySession: true, claimCode });
   */
  claim(claim: Claim, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Says whether an address can claim a token now, and if not, why.
   *
   * @example
   * const { canClaim, reasons } = await badge.getEligibility({ tokenId: 1, address: account.address });
   */
  getEligibility(
    claimer: { tokenId: number; address: string },
    options?: RequestOptions,
  ): Promise<Eligibility>;

  /**
   * Says whether a claim with this code would be accepted now, and if not, why. The code stays unused.
   *
   * @example
   * const { canClaim, isSignatureRequired, reasons } = await badge.checkClaimCode({ tokenId: 1, claimCode });
   */
  checkClaimCode(
    code: { tokenId: number; claimCode: string },
    options?: RequestOptions,
  ): Promise<ClaimCodeCheck>;

  /**
   * Lists who holds a token, the oldest claim first. With `status`, lists those who have lost it in this way,
   * or with `all` everybody who has ever had it; this needs the community's key.
   *
   * @example
   * for await (const { address } of badge.listOwners({ tokenId: 1 })) console.log(address);
   */
  listOwners(
    token: {
      tokenId: number;
      status?: OwnerState['status'] | 'all' | undefined;
      search?: string | undefined;
    } & PageOptions,
    options?: RequestOptions,
  ): List<Owner>;

  /**
   * Says whether an address holds a token, or how it has lost the token. Throws `OwnerNotFound` if it has
   * never had it.
   *
   * @example
   * const { status } = await badge.getOwner({ tokenId: 1, address: account.address });
   */
  getOwner(owner: { tokenId: number; address: string }, options?: RequestOptions): Promise<OwnerState>;

  /**
   * Returns the Open Badges 3.0 credential of an address that holds a token. Wallets of other makers accept
   * it, and it can be verified without this service. Throws `CredentialRevoked` if the address has lost the
   * token. With the session of the owner and `with: 'identity'`, it also has the hash of the owner's e-mail
   * address, if the session is by e-mail, and `name`, if it is given.
   *
   * @example
   * const credential = await badge.getCredential({ tokenId: 1, address: account.address });
   */
  getCredential(
    owner: CredentialQuery & { tokenId: number; address: string },
    options?: RequestOptions,
  ): Promise<BadgeCredential>;

  /**
   * Returns the picture of a badge with the credential of an address in it, as a PNG. `with` and `name` are
   * those of `getCredential`.
   *
   * @example
   * const png = await badge.getCredentialPicture({ tokenId: 1, address: account.address });
   */
  getCredentialPicture(
    owner: CredentialQuery & { tokenId: number; address: string },
    options?: RequestOptions,
  ): Promise<Blob>;

  /**
   * Revokes a token that an address holds. The address cannot claim the token again. Needs the community's
   * key.
   *
   * @example
   * await badge.revoke({ tokenId: 1, address, reason: 'Did not attend.' });
   */
  revoke(revocation: OwnerChange, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Gives a revoked token back to its address. Needs the community's key.
   *
   * @example
   * await badge.reinstate({ tokenId: 1, address, reason: 'Did attend.' });
   */
  reinstate(reinstatement: OwnerChange, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Moves a token from the address that holds it to another one. Needs the community's key.
   *
   * @example
   * await badge.move({ tokenId: 1, address, toAddress: account.address, reason: 'A new wallet.' });
   */
  move(move: OwnerChange & { toAddress: string }, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Says for each of up to 1,000 addresses which of up to 100 tokens it holds. There is an item for each
   * address, in the order given. With a token that does not exist, the error is `TokenNotFound`.
   *
   * @example
   * const { items } = await badge.checkOwners({ addresses: [account.address], tokenIds: [1, 2] });
   * for (const { address, tokenIds } of items) console.log(address, tokenIds);
   */
  checkOwners(owners: OwnersToCheck, options?: RequestOptions): Promise<CheckedOwners>;

  /**
   * Returns the primary ENS names of up to 100 addresses, as far as the service knows them. It looks up
   * others in the background, so ask again later. The name is null if there is none.
   *
   * @example
   * const { items } = await badge.getEnsNames({ addresses: [account.address] });
   * console.log(items[0]?.name ?? account.address);
   */
  getEnsNames(query: { addresses: readonly string[] }, options?: RequestOptions): Promise<EnsNames>;

  /**
   * Says whether an address holds a token now. To check several, call checkOwners().
   *
   * @example
   * if (await badge.holdsToken({ tokenId: 1, address: account.address })) console.log('Welcome');
   */
  holdsToken(owner: { tokenId: number; address: string }, options?: RequestOptions): Promise<boolean>;

  /**
   * Returns what Snapshot gets: 1 for each address that holds the token, otherwise 0.
   *
   * @example
   * const { score } = await badge.getSnapshotScores({ tokenId: 1, addresses: [account.address] });
   */
  getSnapshotScores(
    voters: { tokenId: number; addresses: readonly string[] },
    options?: RequestOptions,
  ): Promise<SnapshotScores>;

  /**
   * Burns a token of the signer. The signer's address cannot claim the token again. With `isBySession`, the
   * token of who has signed in, with a wallet or by e-mail.
   *
   * @example
   * await badge.burn({ tokenId: 1, signer: provider });
   *
   * @example
   * await badge.burn({ tokenId: 1, isBySession: true });
   */
  burn(burn: Burn, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Gives an open token to an address. Needs the community's key.
   *
   * @example
   * await badge.airdrop({ tokenId: 1, address: account.address });
   */
  airdrop(airdrop: { tokenId: number; address: string }, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Gives a token to an address, with the signatures of an admin of the community and of the receiver. This
   * is the call `communityAdminAirdrop` of the API. Needs the community's key.
   *
   * @example
   * const consent = await badge.signTokenId({
   *   primaryType: 'CommunityAdminAirdropReceiverConsent',
   *   tokenId: 1,
   *   signer: provider,
   * });
   * await badge.adminAirdrop({
   *   tokenId: 1,
   *   receivingAddress: consent.address,
   *   receiverSignature: consent.signature,
   *   signer: account,
   * });
   */
  adminAirdrop(
    airdrop: AdminAirdrop & { receiverSignature: string },
    options?: WriteOptions,
  ): Promise<PendingOperation>;

  /**
   * Gives a token to an address with the signature of an admin only. This is the call
   * `communityAdminAirdropWithoutConsentSig` of the API. Needs the community's key.
   *
   * @example
   * await badge.adminAirdropWithoutConsent({ tokenId: 1, receivingAddress: address, signer: account });
   */
  adminAirdropWithoutConsent(airdrop: AdminAirdrop, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Adds contributors to the allowlist of a token. The creator of the token signs. Needs the community's key.
   *
   * @example
   * await badge.addContributors({ tokenId: 1, contributors: ['ada@example.org'], signer: account });
   */
  addContributors(addition: AddedContributors, options?: WriteOptions): Promise<PendingOperation>;

  /**
   * Removes contributors from the allowlist of a token, with their claim links. If one of them has claimed,
   * none is removed. Needs the community's key.
   *
   * @example
   * await badge.removeContributors({ tokenId: 1, contributors: ['ada@example.org'] });
   */
  removeContributors(
    removal: { tokenId: number; contributors: readonly string[] },
    options?: WriteOptions,
  ): Promise<PendingOperation>;

  /**
   * Lists the allowlist of a token, in the order added. Needs the community's key.
   *
   * @example
   * for await (const { contributor, hasClaimed } of badge.listContributors({ tokenId: 1 })) {
   *   console.log(contributor, hasClaimed);
   * }
   */
  listContributors(token: { tokenId: number } & PageOptions, options?: RequestOptions): List<Contributor>;

  /**
   * Lists the people to whom a token was given, whichever way it was. A page also has the `total`. Needs the
   * community's key.
   *
   * @example
   * const { total, data } = await badge.listRecipients({ tokenId: 1, search: 'muller', status: 'claimed' });
   */
  listRecipients(filter: RecipientFilter, options?: RequestOptions): List<Recipient, CountedPage<Recipient>>;

  /**
   * Says who up to 1,000 entries of a token's allowlist, or owners of it, are. If one is unknown, nothing is
   * written. Needs the community's key.
   *
   * @example
   * await badge.setRecipients({ tokenId: 1, items: [{ contributor: 'ada@example.org', name: 'Ada' }] });
   */
  setRecipients(
    people: { tokenId: number; items: readonly ({ contributor: string } & Person)[] },
    options?: RequestOptions,
  ): Promise<{ updated: number }>;

  /**
   * Changes what is known about a recipient. Needs the community's key.
   *
   * @example
   * const { data } = await badge.listRecipients({ tokenId: 1 });
   * for (const { recipientId } of data) {
   *   await badge.updateRecipient({ tokenId: 1, recipientId, note: 'Paid.' });
   * }
   */
  updateRecipient(
    recipient: { tokenId: number; recipientId: string } & Person,
    options?: RequestOptions,
  ): Promise<Recipient>;

  /**
   * Lists what happened to a recipient, the oldest first. Needs the community's key.
   *
   * @example
   * const { data } = await badge.listRecipients({ tokenId: 1 });
   * for (const { recipientId } of data) {
   *   const history = await badge.listRecipientHistory({ tokenId: 1, recipientId });
   *   console.log(history.data.map(({ type }) => type));
   * }
   */
  listRecipientHistory(
    recipient: { tokenId: number; recipientId: string } & PageOptions,
    options?: RequestOptions,
  ): List<RecipientHistoryEntry>;

  /**
   * Issues a token to a list of addresses and e-mails. An address gets an airdrop of an open token, or an
   * entry on the allowlist of an allowlisted one. An e-mail gets an entry on the allowlist and a claim link.
   * Returns a result for each recipient, in the order of the list: one that the service refuses does not keep
   * the others from theirs. After a crash, run it again with the same list: nobody gets a second token, entry
   * or link. Needs the community's key.
   *
   * @example
   * const results = await badge.issue({
   *   tokenId: 1,
   *   recipients: ['ada@example.org', account.address],
   *   signer: account, // the creator; only for an allowlisted token
   *   onResult: (result) => console.log(result.recipient, result.status),
   * });
   * for (const result of results) {
   *   if (result.status === 'linked') console.log(result.recipient, result.url);
   *   if (result.status === 'refused') console.log(result.recipient, result.error, result.detail);
   * }
   */
  issue(issuance: Issuance, options?: RequestOptions): Promise<IssueResult[]>;

  /**
   * Creates claim links: one for each of `identifiers`, or `count` of them. Each link has a code, with which
   * one person can claim the token once. The codes are returned only in this response. With `count`, each
   * link for an allowlisted token adds an entry to the allowlist, so the creator of the token must sign. With
   * `maxClaims`, creates one link for a room, with a short code that many people use. Needs the community's
   * key. A retry, and a repetition with the same `idempotencyKey`, revokes the unused links of the earlier
   * request and returns new codes for them.
   *
   * @example
   * const { items } = await badge.createClaimLinks({ tokenId: 1, identifiers: ['ada@example.org'] });
   * for (const { identifier, url } of items) console.log(identifier, url);
   *
   * @example
   * await badge.createClaimLinks({ tokenId: 1, count: 100, signer: account });
   *
   * @example
   * const expiresAtTimestamp = Date.now() + 7_200_000;
   * await badge.createClaimLinks({ tokenId: 1, maxClaims: 300, expiresAtTimestamp, signer: account });
   */
  createClaimLinks(links: NewClaimLinks, options?: WriteOptions): Promise<{ items: CreatedClaimLink[] }>;

  /**
   * Lists the claim links of a token, without their codes, the oldest first. Needs the community's key.
   *
   * @example
   * for await (const { claimLinkId, identifier } of badge.listClaimLinks({ tokenId: 1, status: 'unused' })) {
   *   console.log(claimLinkId, identifier);
   * }
   */
  listClaimLinks(filter: ClaimLinksFilter, options?: RequestOptions): List<ClaimLink>;

  /**
   * Changes a link for a room: pauses or resumes it, or changes its number of claims, its start or its end.
   * Needs the community's key.
   *
   * @example
   * await badge.updateClaimLink({ tokenId: 1, claimLinkId, isPaused: true });
   */
  updateClaimLink(
    link: { tokenId: number; claimLinkId: string } & ClaimLinkChanges,
    options?: RequestOptions,
  ): Promise<ClaimLink>;

  /**
   * Revokes a claim link. Nobody can claim with its code any more. Needs the community's key.
   *
   * @example
   * await badge.revokeClaimLink({ tokenId: 1, claimLinkId });
   */
  revokeClaimLink(link: { tokenId: number; claimLinkId: string }, options?: RequestOptions): Promise<void>;

  /**
   * Invites up to 1,000 people by e-mail. Each gets a mail with a claim link of its own, in the background.
   * With `address`, the mail tells somebody that this wallet is on the token's allowlist, and has no claim
   * link. Needs the community's key. An e-mail that has an invitation to the token keeps it, and gets no
   * second mail.
   *
   * @example
   * const { items } = await badge.createInvitations({
   *   tokenId: 1,
   *   recipients: [
   *     { email: 'ada@example.org', name: 'Ada' },
   *     { email: 'omar@example.org', language: 'ar', address: '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044' },
   *   ],
   *   message: 'Thank you for your talk.',
   *   signer: account, // the creator; only for an allowlisted token
   * });
   * for (const { email, status } of items) console.log(email, status);
   */
  createInvitations(invitations: NewInvitations, options?: WriteOptions): Promise<{ items: Invitation[] }>;

  /**
   * Lists the invitations of a token, the oldest first. Needs the community's key.
   *
   * @example
   * for await (const { email, error } of badge.listInvitations({ tokenId: 1, status: 'failed' })) {
   *   console.log(email, error);
   * }
   */
  listInvitations(filter: InvitationsFilter, options?: RequestOptions): List<Invitation>;

  /**
   * Returns the mail that a person would get, with an example of a link. Sends nothing. Needs the community's
   * key.
   *
   * @example
   * const { subject, text } = await badge.previewInvitation({ tokenId: 1, name: 'Ada', language: 'en' });
   */
  previewInvitation(example: InvitationPreview, options?: RequestOptions): Promise<Mail>;

  /**
   * Returns the last mail of an invitation, if the service is a sandbox without a mail server. Needs the
   * community's key.
   *
   * @example
   * const { html } = await badge.getInvitationMail({ tokenId: 1, invitationId });
   */
  getInvitationMail(
    invitation: { tokenId: number; invitationId: string },
    options?: RequestOptions,
  ): Promise<Mail>;

  /**
   * Sends an invitation again, with a new link if it has one. The old link is revoked. Needs the community's
   * key.
   *
   * @example
   * const { status } = await badge.resendInvitation({ tokenId: 1, invitationId });
   */
  resendInvitation(
    invitation: { tokenId: number; invitationId: string },
    options?: WriteOptions,
  ): Promise<Invitation>;

  /**
   * Moves the time of a scheduled invitation. Null: it is sent at once. Needs the community's key.
   *
   * @example
   * const sendAtTimestamp = Date.UTC(2027, 0, 4, 9);
   * await badge.updateInvitation({ tokenId: 1, invitationId, sendAtTimestamp });
   */
  updateInvitation(
    invitation: { tokenId: number; invitationId: string; sendAtTimestamp?: number | null },
    options?: RequestOptions,
  ): Promise<Invitation>;

  /**
   * Revokes an invitation with its link. Needs the community's key.
   *
   * @example
   * await badge.revokeInvitation({ tokenId: 1, invitationId });
   */
  revokeInvitation(
    invitation: { tokenId: number; invitationId: string },
    options?: RequestOptions,
  ): Promise<void>;

  /**
   * Revokes the queued and scheduled invitations that match each given field: to a token, for an e-mail
   * address, or queued by a member. Needs the role `issuer`.
   *
   * @example
   * const { cancelledCount } = await badge.cancelMails({ communityId: 'my-dao', tokenId: 1 });
   */
  cancelMails(
    mails: { communityId: string; tokenId?: number; email?: string; createdByAddress?: string },
    options?: RequestOptions,
  ): Promise<{ cancelledCount: number }>;

  /**
   * Reminds those who were invited and have not claimed, or tells owners when their badge ends. Says who is
   * not reminded, and why. Needs the role `issuer`.
   *
   * @example
   * const { queued, skippedCounts } = await badge.createReminders({ tokenId: 1, kind: 'claim' });
   */
  createReminders(
    reminders: { tokenId: number; kind: 'claim' | 'expiry'; recipientIds?: string[]; isDryRun?: boolean },
    options?: RequestOptions,
  ): Promise<CreatedReminders>;

  /**
   * Asks for a mail with which a person without a wallet confirms an e-mail address. No place is taken
   * before. An address that has a link already gets it again. Succeeds whether or not the address is known.
   *
   * @example
   * await badge.createReservation({ tokenId: 1, email: 'ada@example.org', claimCode });
   */
  createReservation(reservation: NewReservation, options?: RequestOptions): Promise<void>;

  /**
   * Confirms an e-mail address with the code of the mail. The token is claimed for the person at once. If it
   * needs a wallet, `operationId` is null, a place is taken, and the person gets a mail with a claim link.
   *
   * @example
   * const { operationId } = await badge.confirmReservation({ tokenId: 1, confirmationCode });
   * if (operationId !== null) await badge.waitForOperation({ operationId });
   */
  confirmReservation(
    reservation: { tokenId: number; confirmationCode: string },
    options?: RequestOptions,
  ): Promise<ConfirmedReservation>;

  /**
   * Asks for a mail with which a person who has unsubscribed gets mails again. Succeeds whether or not the
   * address has unsubscribed; only if it has, a mail is sent.
   *
   * @example
   * await badge.createResubscription({ communityId: 'my-dao', email: 'ada@example.org', language: 'es' });
   */
  createResubscription(resubscription: NewResubscription, options?: RequestOptions): Promise<void>;

  /**
   * Undoes an unsubscription with the code of the mail: from the mails of this community, and from those of
   * all.
   *
   * @example
   * await badge.confirmResubscription({ communityId: 'my-dao', confirmationCode });
   */
  confirmResubscription(
    resubscription: { communityId: string; confirmationCode: string },
    options?: RequestOptions,
  ): Promise<void>;

  /**
   * Lists the tokens that an address holds, and those whose allowlist contains it, the newest first.
   *
   * @example
   * for await (const { badgeTokenId, claimStatus } of badge.listWalletTokens({ address })) {
   *   console.log(badgeTokenId, claimStatus);
   * }
   */
  listWalletTokens(wallet: WalletTokensFilter, options?: RequestOptions): List<WalletToken>;

  /**
   * Creates a community. Needs the operator's key.
   *
   * @example
   * await badge.createCommunity({ uniqId: 'my-dao', displayId: 'my-dao', name: 'My DAO' });
   */
  createCommunity(community: NewCommunity, options?: WriteOptions): Promise<CommunityWithAdmins>;

  /**
   * Lists communities, the oldest first. Needs the operator's key.
   *
   * @example
   * for await (const { uniqId } of badge.listCommunities()) console.log(uniqId);
   */
  listCommunities(options?: PageOptions, requestOptions?: RequestOptions): List<CommunityWithAdmins>;

  /**
   * Returns the public fields of a community.
   *
   * @example
   * const { name, logoUrl } = await badge.getCommunity({ communityId: 'demo' });
   */
  getCommunity(community: { communityId: string }, options?: RequestOptions): Promise<Community>;

  /**
   * Changes a community. Needs the key of an owner; `adminAddresses` and `hasManagedCreator` need the
   * operator's.
   *
   * @example
   * await badge.updateCommunity({ communityId: 'my-dao', adminAddresses: [account.address] });
   */
  updateCommunity(
    community: { communityId: string } & CommunityChanges,
    options?: RequestOptions,
  ): Promise<CommunityWithAdmins>;

  /**
   * Lists the tokens of a community, the oldest first, or the newest first with `order: 'desc'`.
   *
   * @example
   * for await (const { tokenId } of badge.listCommunityTokens({
   *   communityId: 'demo',
   *   customAttributes: { track: 'web' },
   * })) {
   *   console.log(tokenId);
   * }
   */
  listCommunityTokens(filter: CommunityTokensFilter, options?: RequestOptions): List<CommunityToken>;

  /**
   * Returns the settings of a community. Needs its key.
   *
   * @example
   * const { limits } = await badge.getCommunityConfiguration({ communityId: 'demo' });
   */
  getCommunityConfiguration(
    community: { communityId: string },
    options?: RequestOptions,
  ): Promise<CommunityConfiguration>;

  /**
   * Returns all keys with which the service signs credentials for a community, the newest first. Only a
   * credential with one of them is the community's: anybody can make one with its name.
   *
   * @example
   * const [{ did } = { did: '' }] = await badge.getIssuerKeys({ communityId: 'demo' });
   */
  getIssuerKeys(community: { communityId: string }, options?: RequestOptions): Promise<IssuerKey[]>;

  /**
   * Gives a community a new key for credentials. Those that were signed with an older key stay valid. Needs
   * the key of an owner. `isSeedReplaced` needs the operator's key.
   *
   * @example
   * const { did } = await badge.rotateIssuerKey({ communityId: 'demo' });
   */
  rotateIssuerKey(
    rotation: { communityId: string; isSeedReplaced?: boolean },
    options?: WriteOptions,
  ): Promise<IssuerKey>;

  /**
   * Returns the address of the key that the service keeps for a community, if it has one. Needs the key of a
   * viewer.
   *
   * @example
   * const { address } = await badge.getManagedCreator({ communityId: 'demo' });
   */
  getManagedCreator(community: { communityId: string }, options?: RequestOptions): Promise<ManagedCreator>;

  /**
   * Signs with the key that the service keeps for a community. A `Badge` needs the key of an editor, an
   * `AllowlistedAddress` that of an issuer. Each signature, also of a retry, has an entry in the audit log.
   *
   * @example
   * const { signature } = await badge.signWithManagedCreator({
   *   communityId: 'demo',
   *   primaryType: 'AllowlistedAddress',
   *   message: { tokenId: 1 },
   * });
   * await badge.addContributors({ tokenId: 1, contributors: ['ada@example.org'], signature });
   */
  signWithManagedCreator(
    request: { communityId: string } & ManagedMessage,
    options?: RequestOptions,
  ): Promise<ManagedSignature>;

  /**
   * Lists the members of a community, the oldest first. Needs the role `viewer`.
   *
   * @example
   * for await (const { address, role } of badge.listMembers({ communityId: 'my-dao' })) {
   *   console.log(address, role);
   * }
   */
  listMembers(community: { communityId: string } & PageOptions, options?: RequestOptions): List<Member>;

  /**
   * Adds a member to a community, or gives a member another role. With a lower role, the API keys above it
   * that the member created are revoked, unless `keepApiKeys` is true, and the webhooks that it made as an
   * owner stop. Needs the role `owner`. With the role `viewer`, the invitations that the member has queued
   * are revoked, unless `keepMails` is true.
   *
   * @example
   * const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
   * await badge.setMember({ communityId: 'my-dao', address, role: 'issuer' });
   */
  setMember(
    member: {
      communityId: string;
      address: string;
      role: Role;
      keepMails?: boolean | undefined;
      keepApiKeys?: boolean | undefined;
    },
    options?: RequestOptions,
  ): Promise<Member>;

  /**
   * Removes a member. The API keys that it created are revoked, unless `keepApiKeys` is true: then they
   * belong to the caller, although the member may still know them. The webhooks that it made stop until
   * `rotateWebhookSecret` gives them a new secret. Needs the role `owner`, or the session of the member. The
   * invitations that it has queued are revoked, unless an owner sets `keepMails`.
   *
   * @example
   * const address = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
   * await badge.removeMember({ communityId: 'my-dao', address });
   */
  removeMember(
    member: {
      communityId: string;
      address: string;
      keepMails?: boolean | undefined;
      keepApiKeys?: boolean | undefined;
    },
    options?: RequestOptions,
  ): Promise<void>;

  /**
   * Returns the message that a wallet signs with `personal_sign` to sign in.
   *
   * @example
   * const { message } = await badge.createSignInChallenge({ address: account.address });
   * const signature = await account.signMessage({ message });
   */
  createSignInChallenge(
    wallet: { address: string; chainId?: number | null },
    options?: RequestOptions,
  ): Promise<SignInChallenge>;

  /**
   * Sends a code to an e-mail address, with which its owner signs in. The link in the mail has `returnPath`,
   * a page of the service. Never retried, because each call can send a mail.
   *
   * @example
   * const { challengeId } = await badge.createEmailChallenge({ email: 'ada@example.org' });
   * const { sessionToken } = await badge.signIn({ challengeId, code: '7K2M-9QPD' });
   */
  createEmailChallenge(challenge: NewEmailChallenge, options?: RequestOptions): Promise<EmailChallenge>;

  /**
   * Signs in with a signed challenge, or with the code of a mail. A client with the token of the session as
   * its `apiKey` acts with the role of the member, or as the owner of the e-mail address. Never retried,
   * because a challenge or a code can be used once: after a `BadgeConnectionError`, request another one.
   *
   * @example
   * const { message } = await badge.createSignInChallenge({ address: account.address });
   * const signature = await account.signMessage({ message });
   * const { sessionToken } = await badge.signIn({ message, signature });
   * const member = createBadgeClient({ url: 'http://localhost:3000', apiKey: sessionToken });
   */
  signIn(
    challenge:
      | { message: string; signature: string }
      | {
          /** Of `createEmailChallenge()`. */
          challengeId: string;
          /** The code of the mail. */
          code: string;
        },
    options?: RequestOptions,
  ): Promise<CreatedSession>;

  /**
   * Returns who has signed in, and the memberships of the address as they are now. Needs a session.
   *
   * @example
   * const { address, memberships } = await badge.getSession();
   */
  getSession(options?: RequestOptions): Promise<Session>;

  /**
   * Returns whose key or session this client has, and the role that it has now in each community. Needs any
   * key or a session.
   *
   * @example
   * const { kind, memberships } = await badge.getCaller();
   */
  getCaller(options?: RequestOptions): Promise<Caller>;

  /**
   * Ends the session. Its token is rejected from the next request on. Needs a session.
   *
   * @example
   * await badge.signOut();
   */
  signOut(options?: RequestOptions): Promise<void>;

  /**
   * Lists the valid sessions of the address that has signed in, the newest first, without their tokens. Needs
   * a session.
   *
   * @example
   * for await (const { createdAtTimestamp, isCurrent } of badge.listSessions()) {
   *   console.log(createdAtTimestamp, isCurrent);
   * }
   */
  listSessions(page?: PageOptions, options?: RequestOptions): List<SessionItem>;

  /**
   * Lists the tokens that whoever has signed in has, over all communities, the newest first. Needs a session.
   *
   * @example
   * for await (const { badgeTokenId, address } of badge.listOwnTokens()) console.log(badgeTokenId, address);
   */
  listOwnTokens(page?: PageOptions, options?: RequestOptions): List<OwnToken>;

  /**
   * Moves everything that is kept for an e-mail to the wallet of the signer. Needs a session by e-mail.
   *
   * @example
   * await (await badge.moveBadges({ signer: account, isDefault: true })).wait();
   */
  moveBadges(move: BadgeMove, options?: WriteOptions): Promise<PendingMove>;

  /**
   * What is claimed later with the e-mail is kept again, and no longer goes to a wallet. Needs a session by
   * e-mail, and no signature.
   *
   * @example
   * await badge.removeDefaultAddress();
   */
  removeDefaultAddress(options?: RequestOptions): Promise<void>;

  /**
   * Hides a token of whoever has signed in from the web pages. The API goes on listing it. Needs a session.
   *
   * @example
   * await badge.hideOwnToken({ tokenId: 7 });
   */
  hideOwnToken(token: { tokenId: number }, options?: RequestOptions): Promise<void>;

  /**
   * Shows a token of whoever has signed in again. Needs a session.
   *
   * @example
   * await badge.showOwnToken({ tokenId: 7 });
   */
  showOwnToken(token: { tokenId: number }, options?: RequestOptions): Promise<void>;

  /**
   * Lists the communities from which others can give no badge to whoever has signed in. Needs a session.
   *
   * @example
   * for await (const { communityId, name } of badge.listRefusedCommunities()) console.log(communityId, name);
   */
  listRefusedCommunities(page?: PageOptions, options?: RequestOptions): List<RefusedCommunity>;

  /**
   * From now on, nobody can give badges of the community to whoever has signed in. Needs a session.
   *
   * @example
   * await badge.refuseCommunity({ communityId: 'demo' });
   */
  refuseCommunity(community: { communityId: string }, options?: RequestOptions): Promise<void>;

  /**
   * Undoes `refuseCommunity`. Needs a session.
   *
   * @example
   * await badge.acceptCommunity({ communityId: 'demo' });
   */
  acceptCommunity(community: { communityId: string }, options?: RequestOptions): Promise<void>;

  /**
   * Ends all sessions of the address that has signed in, also that of this client. Their tokens are rejected
   * from the next request on. Needs a session.
   *
   * @example
   * await badge.signOutEverywhere();
   */
  signOutEverywhere(options?: RequestOptions): Promise<void>;

  /**
   * Creates an API key, which is shown only once. Needs the role `owner`. Never retried: after a
   * `BadgeConnectionError`, call listApiKeys() to see whether the key exists.
   *
   * @example
   * const { apiKey } = await badge.createApiKey({ communityId: 'my-dao', name: 'our backend' });
   */
  createApiKey(key: { communityId: string } & NewApiKey, options?: RequestOptions): Promise<CreatedApiKey>;

  /**
   * Lists the API keys of a community, the oldest first. Needs the role `owner`.
   *
   * @example
   * for await (const { apiKeyId, name } of badge.listApiKeys({ communityId: 'my-dao' })) {
   *   console.log(apiKeyId, name);
   * }
   */
  listApiKeys(community: { communityId: string } & PageOptions, options?: RequestOptions): List<ApiKey>;

  /**
   * Revokes an API key. Needs the role `owner`. The invitations that were queued with it are revoked, unless
   * `keepMails` is true.
   *
   * @example
   * await badge.revokeApiKey({ communityId: 'my-dao', apiKeyId });
   */
  revokeApiKey(
    key: { communityId: string; apiKeyId: string; keepMails?: boolean },
    options?: RequestOptions,
  ): Promise<void>;

  /**
   * Uploads a design: an image or a video of at most 20 MiB. Needs the community's key.
   *
   * @example
   * const assetFile = new Blob([await readFile('design.png')]);
   * const { nftTypeId } = await badge.createNftType({ communityId: 'demo', name: 'Our design', assetFile });
   */
  createNftType(nftType: NewNftType, options?: WriteOptions): Promise<CreatedNftType>;

  /**
   * Lists the designs of a community: the built-in ones, then its own, the newest first. Needs its key.
   *
   * @example
   * for await (const { nftTypeId, name } of badge.listNftTypes({ communityId: 'demo' })) {
   *   console.log(nftTypeId, name);
   * }
   */
  listNftTypes(community: { communityId: string } & PageOptions, options?: RequestOptions): List<NftType>;

  /**
   * Returns the picture (PNG) that a token with this built-in design and headline would have. Needs the
   * community's key.
   *
   * @example
   * const headline = 'Speaker 2026';
   * const nftTypeId = 'defaultOrangeRed';
   * const png = await badge.getNftTypePreview({ communityId: 'demo', nftTypeId, headline });
   */
  getNftTypePreview(
    token: { communityId: string; nftTypeId: string; headline: string },
    options?: RequestOptions,
  ): Promise<Blob>;

  /**
   * Deletes an uploaded design. Tokens that use it keep their image. Needs the community's key.
   *
   * @example
   * await badge.deleteNftType({ communityId: 'demo', nftTypeId: 'our-design' });
   */
  deleteNftType(nftType: { communityId: string; nftTypeId: string }, options?: RequestOptions): Promise<void>;

  /**
   * Makes an archive of a community: its badges, and who has them. Needs the role `owner`.
   *
   * @example
   * const operation = await badge.exportCommunity({ communityId: 'demo', people: 'none' });
   * const { resourceId: exportId } = await operation.wait();
   */
  exportCommunity(archive: NewExport, options?: WriteOptions): Promise<PendingTransfer>;

  /**
   * Returns how far an export has come, and the URL of its file. Ask again until `status` is `success` or
   * `error`. Needs the role `owner`.
   *
   * @example
   * const { status, downloadUrl } = await badge.getExport({ communityId: 'demo', exportId });
   * if (downloadUrl !== null) console.log(status, (await (await fetch(downloadUrl)).blob()).size);
   */
  getExport(
    archive: { communityId: string; exportId: number },
    options?: RequestOptions,
  ): Promise<CommunityExport>;

  /**
   * Imports badges of another service or installation, from a file of at most 100 MiB. A dry run changes
   * nothing. Needs the role `owner`.
   *
   * @example
   * const file = new Blob([await readFile('badges.csv')]);
   * const operation = await badge.importBadges({ communityId: 'demo', file, format: 'csv', isDryRun: true });
   * const { resourceId: importId } = await operation.wait();
   */
  importBadges(badges: NewImport, options?: WriteOptions): Promise<PendingTransfer>;

  /**
   * Returns how far an import has come, and its problems. Ask again until `status` is `success` or `error`.
   * Needs the role `owner`.
   *
   * @example
   * const { status, imported, problems } = await badge.getImport({ communityId: 'demo', importId });
   */
  getImport(
    badges: { communityId: string; importId: number },
    options?: RequestOptions,
  ): Promise<BadgeImport>;

  /**
   * Lists the audit log, the newest entry first. Needs `communityId` and the role `viewer`, or the operator's
   * key. New entries shift the pages. To read each entry only once, pass `beforeTimestamp`, which leaves out
   * all later entries.
   *
   * @example
   * for await (const entry of badge.listAuditLog({ communityId: 'demo', beforeTimestamp: Date.now() })) {
   *   const name = entry.headline ?? entry.resourceName ?? entry.resourceId;
   *   console.log(entry.action, name, entry.ownerAddress);
   * }
   */
  listAuditLog(filter?: AuditLogFilter, options?: RequestOptions): List<AuditEntry>;

  /**
   * Reads what has happened in a community, oldest first. Pass the `nextCursor` of each page as `after` of
   * the next call to get every event exactly once. `wait` waits up to 30 seconds for an event. Needs the role
   * viewer.
   *
   * @example
   * let page = await badge.readEvents({ communityId: 'demo' });
   * for (const event of page.data) if (event.type === 'badge.claimed') console.log(event.data.address);
   * page = await badge.readEvents({ communityId: 'demo', after: page.nextCursor, wait: 30 });
   */
  readEvents(query: EventsQuery & { communityId: string }, options?: RequestOptions): Promise<EventPage>;

  /**
   * Creates a webhook: from then on, the service sends the events of the community to `url`. `secret` is
   * shown only in this response. This request is never retried. Needs the role owner.
   *
   * @example
   * const { webhookId, secret } = await badge.createWebhook({
   *   communityId: 'demo',
   *   url: 'https://example.org/badge-events',
   *   name: 'our backend',
   * });
   */
  createWebhook(
    webhook: NewWebhook & { communityId: string },
    options?: RequestOptions,
  ): Promise<WebhookWithSecret>;

  /**
   * Lists the webhooks of a community, oldest first. Needs the role owner.
   *
   * @example
   * for await (const { name, isEnabled } of badge.listWebhooks({ communityId: 'demo' })) {
   *   console.log(name, isEnabled);
   * }
   */
  listWebhooks(community: { communityId: string } & PageOptions, options?: RequestOptions): List<Webhook>;

  /**
   * Changes, disables or enables a webhook. One that is enabled again also gets what was still to be sent.
   * Needs the role owner.
   *
   * @example
   * await badge.updateWebhook({ communityId: 'demo', webhookId, isEnabled: true });
   */
  updateWebhook(
    changes: WebhookChanges & { communityId: string; webhookId: string },
    options?: RequestOptions,
  ): Promise<Webhook>;

  /**
   * Deletes a webhook with its deliveries. Needs the role owner.
   *
   * @example
   * await badge.deleteWebhook({ communityId: 'demo', webhookId });
   */
  deleteWebhook(webhook: { communityId: string; webhookId: string }, options?: RequestOptions): Promise<void>;

  /**
   * Gives a webhook a new secret. For 24 hours, requests are signed with both. The caller is its maker from
   * now on, so a webhook that has stopped because its maker left goes on. This request is never retried.
   * Needs the role owner.
   *
   * @example
   * const { secret } = await badge.rotateWebhookSecret({ communityId: 'demo', webhookId });
   */
  rotateWebhookSecret(
    webhook: { communityId: string; webhookId: string },
    options?: RequestOptions,
  ): Promise<WebhookWithSecret>;

  /**
   * Sends an event of the type `webhook.test` to a webhook. Needs the role owner.
   *
   * @example
   * const { deliveryId } = await badge.testWebhook({ communityId: 'demo', webhookId });
   */
  testWebhook(
    webhook: { communityId: string; webhookId: string },
    options?: WriteOptions,
  ): Promise<{ deliveryId: string }>;

  /**
   * Lists what is or was sent to a webhook in the last 30 days, newest first. Needs the role owner.
   *
   * @example
   * const failed = badge.listWebhookDeliveries({ communityId: 'demo', webhookId, status: 'failed' });
   * for await (const { eventId, attempts } of failed) console.log(eventId, attempts.at(-1)?.error);
   */
  listWebhookDeliveries(
    query: {
      communityId: string;
      webhookId: string;
      status?: WebhookDelivery['status'] | undefined;
    } & PageOptions,
    options?: RequestOptions,
  ): List<WebhookDelivery>;

  /**
   * Sends the event of a delivery once more. Needs the role owner.
   *
   * @example
   * await badge.redeliverWebhook({ communityId: 'demo', webhookId, deliveryId });
   */
  redeliverWebhook(
    delivery: { communityId: string; webhookId: string; deliveryId: string },
    options?: WriteOptions,
  ): Promise<{ deliveryId: string }>;

  /**
   * Returns the environment of the service, and its signing domain. The client reads it once, and again after
   * the service has refused a signature.
   *
   * @example
   * const { eip712 } = await badge.getEnvironment();
   */
  getEnvironment(options?: RequestOptions): Promise<Environment>;
}
