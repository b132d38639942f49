import type * as protocol from '@badge/protocol';

// What the service receives and returns is defined by @badge/protocol. Its types have names here, so that
// they are documented and exported.

/** Bytes in hex, such as an address or a signature, in the form that viem uses. */
export type Hex = `0x${string}`;

type AddressField =
  | 'address'
  | 'createdByAddress'
  | 'verifyingContract'
  | 'adminAddresses'
  | 'createdBy'
  | 'toAddress'
  | 'ownerAddress'
  | 'claimingAddress';
type ToHex<T> = T extends string ? Hex : T extends string[] ? Hex[] : T;
/** A response whose addresses have the type `Hex`, so that viem accepts them. */
type WithHex<T> = T extends object
  ? { [K in keyof T]: K extends AddressField ? ToHex<T[K]> : WithHex<T[K]> }
  : T;

/**
 * The name of an error that the service returns.
 *
 * @example
 * const isFinal = (name: ErrorName) => name === 'NoTokensLeft' || name === 'TokenClaimExpired';
 */
export type ErrorName = protocol.Problem['name'];

/**
 * One thing that is wrong with a request: a JSON pointer into the body, or the name of a parameter or header,
 * and what is wrong.
 *
 * @example
 * const problem: RequestError = { pointer: '/headline', detail: 'must not be empty' };
 */
export type RequestError = NonNullable<protocol.Problem['errors']>[number];

/** An error as the service sends it (RFC 9457). The client throws it as a `BadgeApiError`. */
export type Problem = protocol.Problem;

/** The environment of a service, and the signing domain and types (EIP-712). */
export type Environment = WithHex<protocol.Environment>;

/** A token. Timestamps are in milliseconds since 1970. */
export type Token = WithHex<protocol.Token>;

/**
 * The changes of a token. Fields that are absent do not change. `null` removes the criteria, a time or the
 * days.
 *
 * @example
 * const changes: TokenChanges = { criteria: 'Gave a talk.' };
 */
export type TokenChanges = protocol.UpdateTokenBody;

/** An Open Badges 3.0 credential. Keep its JSON as it is: the signature is about every member. */
export type BadgeCredential = protocol.BadgeCredential;

/**
 * Whether a credential says who its owner is, and with which name. It needs the session of the owner.
 *
 * @example
 * const query: CredentialQuery = { with: 'identity', name: 'Ada Lovelace' };
 */
export type CredentialQuery = protocol.CredentialQuery;

/** A key with which the service signs credentials for a community. */
export type IssuerKey = protocol.IssuerKey;

/**
 * An attribute of a token, besides the fixed fields.
 *
 * @example
 * const attribute: CustomAttribute = { fieldName: 'track', type: 'string', value: 'web' };
 */
export type CustomAttribute = protocol.CustomAttribute;

/** A token in the list of a community. Here `createdAtTimestamp` is an ISO 8601 string. */
export type CommunityToken = protocol.CommunityToken;

/**
 * A token in the list of a wallet: held (`claimed`), or not claimed although its allowlist contains the
 * address (`unclaimed`). Its id is `badgeTokenId`.
 */
export type WalletToken = protocol.WalletToken;

/** A token of whoever has signed in, and the address that has it. */
export type OwnToken = WithHex<protocol.OwnToken>;

/** A community from which others can give no badge to whoever has signed in. */
export type RefusedCommunity = protocol.RefusedCommunity;

/** An accepted request that is settled later. It ends in the status `success` or `error`. */
export type Operation = protocol.Operation;

/** An operation that has succeeded. */
export type SuccessfulOperation = Omit<Operation, 'status' | 'error' | 'resourceId'> & {
  status: 'success';
  error: null;
  resourceId: number;
  /** The id of the token: the same as `resourceId`. */
  tokenId: number;
};

/** Who holds a token, and since when. */
export type Owner = WithHex<protocol.Owner>;

/**
 * What has become of a token that an address has had: `held`, `burnt`, `revoked` or `moved`, and since when.
 */
export type OwnerState = WithHex<protocol.OwnerState>;

/** An entry of a token's allowlist. */
export type Contributor = WithHex<protocol.Contributor>;

/** A person to whom a token was given, with what has become of it. */
export type Recipient = WithHex<protocol.Recipient>;

/** Something that happened to a recipient. */
export type RecipientHistoryEntry = protocol.RecipientHistoryEntry;

/**
 * What is known about a person. An absent field changes nothing; null removes what is known.
 *
 * @example
 * const person: Person = { name: 'Ada Lovelace', email: 'ada@example.org', note: 'Speaks at 9.' };
 */
export interface Person {
  name?: string | null | undefined;
  email?: string | null | undefined;
  note?: string | null | undefined;
}

/**
 * An address, an e-mail, an ENS name or a handle, or an object that also says who it is.
 *
 * @example
 * const entry: ContributorEntry = { contributor: 'ada@example.org', name: 'Ada Lovelace' };
 */
export type ContributorEntry = string | ({ contributor: string } & Person);

/** A page of people, and how many there are. */
export interface CountedPage<Item> extends Page<Item> {
  total: number;
}

/** A word, or several with commas between them. */
type Several<Word extends string> = Word | `${Word},${string}`;

/**
 * Which recipients to list. `search` is a part of a name, an e-mail, an address or an identifier.
 *
 * @example
 * const filter: RecipientFilter = { tokenId: 1, search: 'muller', status: 'claimed', order: 'name' };
 */
export type RecipientFilter = { tokenId: number } & PageOptions & {
    search?: string | undefined;
    status?: Several<protocol.Recipient['status']> | undefined;
    way?: Several<protocol.Recipient['way']> | undefined;
    claimLinkId?: string | undefined;
    endsWithinDays?: number | undefined;
    order?: 'newest' | 'oldest' | 'name' | 'status' | undefined;
  };

/** Whether an address can claim a token now, and if not, the names of the errors that prevent it. */
export type Eligibility = protocol.Eligibility;

/** A claim link of a token, without its code. Its status is `unused`, `used`, `revoked` or `expired`. */
export type ClaimLink = WithHex<protocol.ClaimLink>;

/** A new claim link. The service shows `code` and `url` only in the response that creates it. */
export type CreatedClaimLink = protocol.CreatedClaimLink;

/** An invitation by e-mail, with what has become of its mail. */
export type Invitation = protocol.Invitation;

/** A mail as a person sees it: its subject, and its parts as text and as HTML. */
export type Mail = protocol.Mail;

/**
 * What the confirmation of an e-mail address has started: the claim of the token, or, if both are null, a
 * mail with a claim link.
 */
export type ConfirmedReservation = WithHex<protocol.ConfirmedReservation>;

/** How many people are reminded, and who is not. */
export type CreatedReminders = protocol.CreatedReminders;

/** Whether a claim with a code would be accepted now, and if not, the names of the errors that prevent it. */
export type ClaimCodeCheck = protocol.ClaimCodeCheck;

/** For each address that was checked, the tokens that it holds, in ascending order. */
export type CheckedOwners = protocol.CheckedOwners;

/** For each address, its primary ENS name, or null. */
export type EnsNames = WithHex<protocol.EnsNames>;

/** For each voter, 1 if it holds the token, otherwise 0. */
export type SnapshotScores = protocol.SnapshotScores;

/** A community. Its `uniqId` is the `communityId` of all other calls. */
export type Community = protocol.Community;

/** A community with the addresses of its admins, as the operator sees it. */
export type CommunityWithAdmins = WithHex<protocol.CommunityWithAdmins>;

/** The settings of a community: signing domain, admins, limits and reserved attribute names. */
export type CommunityConfiguration = WithHex<protocol.CommunityConfiguration>;

/** An API key, without the key itself. */
export type ApiKey = WithHex<protocol.ApiKey>;

/** A new API key. The service shows `apiKey` only in the response that creates it. */
export type CreatedApiKey = WithHex<protocol.CreatedApiKey>;

/**
 * What a member or an API key may do in a community. Each role includes the ones before it: `viewer`,
 * `issuer`, `editor`, `owner`.
 *
 * @example
 * const role: Role = 'issuer';
 */
export type Role = protocol.Member['role'];

/** A member of a community. */
export type Member = WithHex<protocol.Member>;

/** The message that a wallet signs to sign in. */
export type SignInChallenge = protocol.SignInChallenge;

/**
 * The e-mail address that gets a code to sign in with.
 *
 * @example
 * const challenge: NewEmailChallenge = { email: 'ada@example.org', language: 'es', returnPath: '/token/1' };
 */
export type NewEmailChallenge = protocol.CreateEmailChallengeBody;

/** A challenge that accepts the codes that are mailed to its address, until `expiresAtTimestamp`. */
export type EmailChallenge = protocol.EmailChallenge;

/** Who has signed in, and the memberships of the address. */
export type Session = WithHex<protocol.Session>;

/** A valid session in the list of one's own sessions. `isCurrent` is true for the session of the client. */
export type SessionItem = protocol.SessionItem;

/**
 * Whose key or session a client has: `apiKey`, `session` or `operator`, and the role in each of its
 * communities.
 */
export type Caller = WithHex<protocol.CallerDescription>;

/**
 * A new session. The service shows `sessionToken` only in the response that creates it.
 *
 * @example
 * const { message } = await badge.createSignInChallenge({ address: account.address });
 * const signature = await account.signMessage({ message });
 * const session: CreatedSession = await badge.signIn({ message, signature });
 */
export type CreatedSession = WithHex<protocol.CreatedSession>;

/** A design of tokens. */
export type NftType = protocol.NftType;

/** An uploaded design, with the URL of its file. */
export type CreatedNftType = protocol.CreatedNftType;

/** An entry of the audit log: who did what, and when. */
export type AuditEntry = WithHex<protocol.AuditEntry>;

/** The ERC-1155 metadata of a token. */
export type TokenMetadata = WithHex<protocol.TokenMetadata>;

/** One page of a list, with the limit and the offset that were used. */
export interface Page<Item> {
  limit: number;
  offset: number;
  data: Item[];
}

/**
 * Which part of a list to read: items per page (0 to 1,000, by default 50), and how many items to skip.
 *
 * @example
 * const part: PageOptions = { limit: 100, offset: 200 };
 */
export interface PageOptions {
  limit?: number | undefined;
  offset?: number | undefined;
}

/**
 * Options in the last argument of every call except waitForOperation().
 *
 * @example
 * const options: RequestOptions = { signal: AbortSignal.timeout(5_000) };
 */
export interface RequestOptions {
  /** Aborts the call and its retries. The call then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** How long one attempt may take, in milliseconds; by default as in `BadgeClientOptions`. */
  timeoutMs?: number | undefined;
}

/**
 * Options of a call that creates a community or a design, or starts an operation.
 *
 * @example
 * const options: WriteOptions = { idempotencyKey: 'order-1234' };
 */
export interface WriteOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters; by default random. Give a key of your own if you may send the same
   * request again after a crash: with the same key and the same body, it has an effect only once within 24
   * hours.
   */
  idempotencyKey?: string | null | undefined;
}

/**
 * How long to wait for an operation.
 *
 * @example
 * const options: WaitOptions = { timeoutMs: 30_000 };
 */
export interface WaitOptions {
  /**
   * Aborts the wait, which then rejects with the reason of the signal. The operation is settled nevertheless.
   */
  signal?: AbortSignal | undefined;
  /** How long to wait in total, in milliseconds; by default 180,000. */
  timeoutMs?: number | undefined;
}

/** The fields of every new token. */
interface TokenFields {
  headline: string;
  description?: string | null | undefined;
  startDateTimestamp?: number | null | undefined;
  endDateTimestamp?: number | null | undefined;
  links?: readonly string[] | null | undefined;
  communityId: string;
  nftTypeId: string;
  /** Whether a claim needs the claimer's signature; by default false: the community's key is enough. */
  isSignatureRequired?: boolean | undefined;
  expirationTimestamp?: number | null | undefined;
  customAttributes?: readonly CustomAttribute[] | null | undefined;
  /** What somebody has done for the badge, as credentials say it. It is not signed. */
  criteria?: string | null | undefined;
  /** Before it, nobody can claim, also not with a code. In milliseconds since 1970, UTC. It is not signed. */
  claimableFromTimestamp?: number | null | undefined;
  /** When the badge ends for all who have it. Not together with `validityDays`. It is not signed. */
  validUntilTimestamp?: number | null | undefined;
  /** How many days of 24 hours after its claim the badge ends. It is not signed. */
  validityDays?: number | null | undefined;
}

/**
 * A token that everyone can claim, up to a total.
 *
 * @example
 * const token: OpenToken = {
 *   communityId: 'demo',
 *   headline: 'Guest',
 *   nftTypeId: 'defaultBlueGreen',
 *   totalClaimCount: 100,
 * };
 */
export interface OpenToken extends TokenFields {
  totalClaimCount: number;
  isAllowlistRequired?: false | undefined;
  contributors?: null | undefined;
}

/**
 * A token that only its contributors can claim: 1 to 10,000 addresses, e-mails, ENS names or handles.
 *
 * @example
 * const token: AllowlistedToken = {
 *   communityId: 'demo',
 *   headline: 'Speaker',
 *   nftTypeId: 'defaultOrangeRed',
 *   contributors: [account.address, 'ada@example.org'],
 * };
 */
export interface AllowlistedToken extends TokenFields {
  contributors: readonly ContributorEntry[];
  isAllowlistRequired?: true | undefined;
  totalClaimCount?: null | undefined;
}

/**
 * A new token: open or allowlisted.
 *
 * @example
 * const token: NewToken = {
 *   communityId: 'demo',
 *   headline: 'Guest',
 *   nftTypeId: 'defaultBlueGreen',
 *   totalClaimCount: 100,
 * };
 */
export type NewToken = OpenToken | AllowlistedToken;

/**
 * A token with the signature of its creator, ready for createToken() on any machine.
 *
 * @example
 * const signed: SignedToken = await badge.signToken({
 *   signer: account,
 *   communityId: 'demo',
 *   headline: 'Guest',
 *   nftTypeId: 'defaultBlueGreen',
 *   totalClaimCount: 100,
 * });
 */
export type SignedToken = NewToken & { creator: string; signature: string; signer?: undefined };

/**
 * A token, and the signer that signs it as its creator.
 *
 * @example
 * const token: TokenToSign = {
 *   signer: account,
 *   communityId: 'demo',
 *   headline: 'Guest',
 *   nftTypeId: 'defaultBlueGreen',
 *   totalClaimCount: 100,
 * };
 */
export type TokenToSign = NewToken & {
  signer: Signer;
  /** The address that must sign; by default the address of the signer. */
  creator?: string | undefined;
  signature?: undefined;
};

/**
 * The name of a signed type that contains only the id of a token.
 *
 * @example
 * const primaryType: TokenIdMessageName = 'CommunityAdminAirdropReceiverConsent';
 */
export type TokenIdMessageName = protocol.TokenIdMessageName;

/**
 * An address, and a signature that it has made.
 *
 * @example
 * const consent: AddressAndSignature = await badge.signTokenId({
 *   primaryType: 'CommunityAdminAirdropReceiverConsent',
 *   tokenId: 1,
 *   signer: account,
 * });
 */
export interface AddressAndSignature {
  address: Hex;
  signature: Hex;
}

/**
 * A claim: by the signer, by a signature, with the code of a claim link, or with the community's key for any
 * address or identifier. With the session of an e-mail as the key: for the person, at an address of the
 * service.
 *
 * @example
 * const claim: Claim = { tokenId: 1, signer: account };
 *
 * @example
 * const claim: Claim = { tokenId: 1, claimingAddress: account.address, claimCode };
 *
 * @example
 * const claim: Claim = { tokenId: 1, isBySession: true, claimCode };
 */
export type Claim = { tokenId: number } & (
  | {
      /** An e-mail, a name or a handle on the allowlist. Needs the community's key. */
      identifier?: string | null | undefined;
      claimCode?: null | undefined;
    }
  | {
      /** The code of a claim link. Needs no key. */
      claimCode: string;
      identifier?: null | undefined;
    }
) &
  (
    | {
        signer: Signer;
        claimingAddress?: string | undefined;
        signature?: undefined;
        isBySession?: undefined;
      }
    | {
        signer?: undefined;
        claimingAddress: string;
        signature?: string | null | undefined;
        isBySession?: undefined;
      }
    | {
        isBySession: true;
        signer?: undefined;
        claimingAddress?: undefined;
        signature?: undefined;
      }
  );

/**
 * A burn: by the signer, by a signature, or by the owner whose session is the key of the client.
 *
 * @example
 * const burn: Burn = { tokenId: 1, signer: account };
 *
 * @example
 * const burn: Burn = { tokenId: 1, isBySession: true };
 */
export type Burn = { tokenId: number } & (
  | { signer: Signer; burningAddress?: string | undefined; signature?: undefined; isBySession?: undefined }
  | { signer?: undefined; burningAddress: string; signature: string; isBySession?: undefined }
  | { isBySession: true; signer?: undefined; burningAddress?: undefined; signature?: undefined }
);

/**
 * The wallet to which kept badges move. With `isDefault`, later badges go there, or no longer.
 *
 * @example
 * const move: BadgeMove = { signer: account, isDefault: true };
 */
export type BadgeMove = { isDefault?: boolean | null | undefined } & (
  | { signer: Signer; toAddress?: string | undefined; signature?: undefined }
  | { signer?: undefined; toAddress: string; signature: string }
);

/**
 * A token to revoke, reinstate or move. `reason` is in the audit log only.
 *
 * @example
 * const change: OwnerChange = { tokenId: 1, address: account.address, reason: 'Did not attend.' };
 */
export type OwnerChange = { tokenId: number; address: string; reason: string };

/**
 * Contributors to add to a token's allowlist, with the signature of the token's creator. Only the token's id
 * is signed.
 *
 * @example
 * const addition: AddedContributors = { tokenId: 1, contributors: ['ada@example.org'], signer: account };
 */
export type AddedContributors = { tokenId: number; contributors: readonly ContributorEntry[] } & (
  | { signer: Signer; signature?: undefined }
  | { signer?: undefined; signature: string }
);

/**
 * Claim links to create: one for each of `identifiers`, which must be on the allowlist, or `count` links. On
 * an allowlisted token, `count` also needs the signature of the creator. With `maxClaims`, one link for a
 * room, with a short code that many people use; it also needs the creator's signature, and an end at most 90
 * days away.
 *
 * @example
 * const links: NewClaimLinks = { tokenId: 1, count: 10, expiresAtTimestamp: Date.now() + 86_400_000 };
 */
export type NewClaimLinks = {
  tokenId: number;
  /** When the links expire. By default they do not expire. */
  expiresAtTimestamp?: number | null | undefined;
} & (
  | {
      identifiers: readonly ContributorEntry[];
      people?: undefined;
      count?: undefined;
      maxClaims?: undefined;
      signer?: undefined;
      signature?: undefined;
    }
  | {
      count: number;
      signer: Signer;
      people?: readonly Person[] | null | undefined;
      identifiers?: undefined;
      maxClaims?: undefined;
      signature?: undefined;
    }
  | {
      count: number;
      signature?: string | null | undefined;
      people?: readonly Person[] | null | undefined;
      identifiers?: undefined;
      maxClaims?: undefined;
      signer?: undefined;
    }
  | ({
      /** How many addresses can claim with the code, each once. */
      maxClaims: number;
      expiresAtTimestamp: number;
      /** When the link can first be used. By default at once. */
      startsAtTimestamp?: number | null | undefined;
      /** Whether a claim also needs the claimer's signature. By default false. */
      isSignatureRequired?: boolean | null | undefined;
      /** How many claims without a signature can come from one client address. By default 500. */
      maxClaimsPerClient?: number | null | undefined;
      identifiers?: undefined;
      people?: undefined;
      count?: undefined;
    } & ({ signer: Signer; signature?: undefined } | { signature: string; signer?: undefined }))
);

/**
 * Who is invited to claim a token. If a recipient is not on the allowlist of an allowlisted token, its
 * creator must sign.
 *
 * @example
 * const invitations: NewInvitations = {
 *   tokenId: 1,
 *   recipients: [{ email: 'ada@example.org', language: 'es' }],
 * };
 */
export type NewInvitations = Omit<protocol.CreateInvitationsBody, 'signature'> & { tokenId: number } & (
    | { signer: Signer; signature?: undefined }
    | { signer?: undefined; signature?: string | null | undefined }
  );

/**
 * Which invitations of a token to list; by default all.
 *
 * @example
 * const filter: InvitationsFilter = { tokenId: 1, status: 'queued' };
 */
export interface InvitationsFilter extends PageOptions {
  tokenId: number;
  status?: Invitation['status'] | undefined;
}

/**
 * What an example of an invitation shows.
 *
 * @example
 * const example: InvitationPreview = { tokenId: 1, name: 'Ada', message: 'Thank you for your talk.' };
 */
export type InvitationPreview = protocol.PreviewInvitationBody & { tokenId: number };

/**
 * What a person without a wallet sends to reserve a token: an e-mail address, and the code of a claim link.
 *
 * @example
 * const reservation: NewReservation = {
 *   tokenId: 1,
 *   email: 'ada@example.org',
 *   claimCode: '7K2M-9QPD',
 *   language: 'es',
 * };
 */
export type NewReservation = protocol.CreateReservationBody & { tokenId: number };

/**
 * What a person who has unsubscribed sends to get the mails of a community again.
 *
 * @example
 * const resubscription: NewResubscription = {
 *   communityId: 'my-dao',
 *   email: 'ada@example.org',
 *   language: 'es',
 * };
 */
export type NewResubscription = protocol.CreateResubscriptionBody & { communityId: string };

/**
 * Changes of a link for a room. Absent fields keep their values; `startsAtTimestamp: null` lets the link
 * start at once.
 *
 * @example
 * const changes: ClaimLinkChanges = { isPaused: true };
 */
export type ClaimLinkChanges = protocol.UpdateClaimLinkBody;

/**
 * A list of addresses and e-mails, and the token that issue() gives them. For an allowlisted token, the
 * creator of the token signs once, for all recipients.
 *
 * @example
 * const issuance: Issuance = {
 *   tokenId: 1,
 *   recipients: ['ada@example.org', account.address],
 *   signer: account,
 * };
 */
export type Issuance = {
  tokenId: number;
  recipients: readonly string[];
  /**
   * Called with each result as soon as it is known. Later batches wait for the promise that it returns. Store
   * the links here: the service shows a code only once.
   */
  onResult?: ((result: IssueResult) => void | Promise<void>) | undefined;
} & (
  | { signer: Signer; signature?: undefined }
  | { signer?: undefined; signature?: string | null | undefined }
);

/**
 * What issue() has done for one recipient:
 * - `airdropped`: the address has the token.
 * - `allowlisted`: the address can claim the token, or has claimed it.
 * - `linked`: the e-mail is on the allowlist, and has this new claim link.
 * - `alreadyIssued`: nothing. The address had got the token, or the e-mail has the link `claimLinkId`.
 * - `refused`: nothing. `error` is the name of the error, and a second run has the same result.
 * - `failed`: the request failed, so it is unknown what was done. `error` is the name of the error. Run it
 *   again.
 */
export type IssueResult = { recipient: string } & (
  | { status: 'airdropped' | 'allowlisted' }
  | { status: 'linked'; claimLinkId: string; code: string; url: string }
  | { status: 'alreadyIssued'; claimLinkId: string | null }
  | { status: 'refused' | 'failed'; error: string; detail: string }
);

/**
 * An airdrop with the signature of an admin of the community, for one token.
 *
 * @example
 * const airdrop: AdminAirdrop = { tokenId: 1, receivingAddress: account.address, signer: account };
 */
export type AdminAirdrop = { tokenId: number; receivingAddress: string } & (
  | { signer: Signer; adminAddress?: string | undefined; adminSignature?: undefined }
  | { signer?: undefined; adminAddress: string; adminSignature: string }
);

/**
 * A community to create. `uniqId` is its id, by default a UUID.
 *
 * @example
 * const community: NewCommunity = { uniqId: 'my-dao', displayId: 'my-dao', name: 'My DAO' };
 */
export type NewCommunity = protocol.CreateCommunityBody;

/**
 * Changes of a community. Absent fields do not change; null resets an optional field.
 *
 * @example
 * const changes: CommunityChanges = { adminAddresses: [account.address] };
 */
export type CommunityChanges = protocol.UpdateCommunityBody;

/** The address of the key that the service keeps for a community. */
export type ManagedCreator = WithHex<protocol.ManagedCreator>;

/**
 * What the managed creator of a community can sign: a `Badge` of this community with all its fields, or an
 * `AllowlistedAddress` for a token that it has created.
 *
 * @example
 * const request: ManagedMessage = { primaryType: 'AllowlistedAddress', message: { tokenId: 1 } };
 */
export type ManagedMessage =
  | { primaryType: 'Badge'; message: protocol.BadgeMessage }
  | { primaryType: 'AllowlistedAddress'; message: { tokenId: number } };

/**
 * A signature of a managed creator.
 *
 * @example
 * const { address, signature }: ManagedSignature = await badge.signWithManagedCreator({
 *   communityId: 'demo',
 *   primaryType: 'AllowlistedAddress',
 *   message: { tokenId: 1 },
 * });
 */
export type ManagedSignature = WithHex<protocol.ManagedSignature>;

/** A webhook, without its secret. `events` is null if it gets all types. */
export type Webhook = protocol.Webhook;

/**
 * A webhook to create. It gets events of all types unless `events` is given.
 *
 * @example
 * const webhook: NewWebhook = {
 *   url: 'https://example.org/events',
 *   name: 'our backend',
 *   events: ['badge.claimed'],
 * };
 */
export type NewWebhook = protocol.CreateWebhookBody;

/**
 * A webhook with a new secret. The service shows `secret` only in the response that creates or rotates it.
 */
export type WebhookWithSecret = protocol.WebhookWithSecret;

/**
 * Changes of a webhook. What is left out stays as it is.
 *
 * @example
 * const changes: WebhookChanges = { isEnabled: true };
 */
export type WebhookChanges = protocol.UpdateWebhookBody;

/**
 * An event that is or was sent to a webhook, with each attempt.
 *
 * @example
 * const describe = (delivery: WebhookDelivery) => delivery.attempts.at(-1)?.error ?? delivery.status;
 */
export type WebhookDelivery = protocol.WebhookDelivery;

/**
 * An API key to create. It does not expire unless `expiresAtTimestamp` is given.
 *
 * @example
 * const key: NewApiKey = { name: 'our backend', expiresAtTimestamp: Date.now() + 86_400_000 };
 */
export type NewApiKey = protocol.CreateApiKeyBody;

/**
 * A design to upload: a JPEG, PNG, GIF, WebP, MP4 or WebM of at most 20 MiB. The id is a UUID unless it is
 * given.
 *
 * @example
 * const nftType: NewNftType = { communityId: 'demo', name: 'Ours', assetFile: new Blob([bytes]) };
 */
export interface NewNftType {
  communityId: string;
  name: string;
  assetFile: Blob;
  nftTypeId?: string | undefined;
  alias?: string | undefined;
}

/**
 * Something that has happened in a community. `type` says what, and which fields `data` has. The same event
 * of the feed and of webhooks has the same `eventId`.
 *
 * @example
 * const describe = (event: BadgeEvent) =>
 *   `${event.type} at ${new Date(event.createdAtTimestamp).toISOString()}`;
 */
export type BadgeEvent = WithHex<protocol.BadgeEvent>;

/**
 * Where to begin to read events, how many, and how many seconds to wait for one.
 *
 * @example
 * const query: EventsQuery = { after: '1-0b8f2c9e', limit: 1_000, wait: 30 };
 */
export type EventsQuery = protocol.EventsQuery;

/** A page of events, and the cursor of the next page. */
export type EventPage = WithHex<protocol.EventPage>;

/**
 * Which entries of the audit log to list. An entry must match all filters.
 *
 * @example
 * const filter: AuditLogFilter = { communityId: 'demo', beforeTimestamp: Date.now() };
 */
export type AuditLogFilter = PageOptions & Partial<Omit<protocol.AuditLogQuery, 'limit' | 'offset'>>;

/**
 * Which tokens of a community to list. A token must match all filters.
 *
 * @example
 * const filter: CommunityTokensFilter = { communityId: 'demo', customAttributes: { track: 'web' } };
 */
export interface CommunityTokensFilter extends PageOptions {
  communityId: string;
  order?: 'asc' | 'desc' | undefined;
  headline?: string | undefined;
  /** `true` lists only hidden tokens, `false` only visible ones. Needs the community's key. */
  isHidden?: boolean | undefined;
  /** Values of custom attributes by name. */
  customAttributes?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/**
 * Which addresses to check for which tokens: 1 to 1,000 addresses, and the ids of 1 to 100 tokens.
 *
 * @example
 * const owners: OwnersToCheck = { addresses: [account.address], tokenIds: [1, 2] };
 */
export interface OwnersToCheck {
  addresses: readonly string[];
  tokenIds: readonly number[];
}

/**
 * Which tokens of a wallet to list; by default the claimed and the unclaimed ones of all communities.
 *
 * @example
 * const filter: WalletTokensFilter = { address: account.address, claimStatus: 'unclaimed' };
 */
export interface WalletTokensFilter extends PageOptions {
  address: string;
  claimStatus?: 'claimed' | 'unclaimed' | undefined;
  communityId?: string | undefined;
  tokenId?: number | undefined;
}

/**
 * Which claim links of a token to list; by default all.
 *
 * @example
 * const filter: ClaimLinksFilter = { tokenId: 1, status: 'unused' };
 */
export interface ClaimLinksFilter extends PageOptions {
  tokenId: number;
  status?: ClaimLink['status'] | undefined;
  /** Only links for a room, or only the others. */
  isForRoom?: boolean | undefined;
  /** The oldest first (`asc`, the default), or the newest first. */
  order?: 'asc' | 'desc' | undefined;
}

/**
 * An account of viem, such as `privateKeyToAccount(…)`, or any object that signs in the same way.
 *
 * @example
 * const signer: ViemAccount = privateKeyToAccount(generatePrivateKey());
 */
export interface ViemAccount {
  address: string;
  signTypedData(typedData: never): Promise<string>;
}

/**
 * A wallet client of viem. It signs with its own account. If it has none, it signs with the account of its
 * wallet that the call names, such as `claimingAddress`. If the call names none, it signs with the first.
 *
 * @example
 * const signer: ViemWalletClient = createWalletClient({ account, transport: custom(provider) });
 */
export interface ViemWalletClient {
  account?: { address: string } | undefined;
  getAddresses(): Promise<readonly string[]>;
  requestAddresses(): Promise<readonly string[]>;
  request(request: never): Promise<unknown>;
  signTypedData(typedData: never): Promise<string>;
}

/**
 * A signer of ethers 6, such as `new Wallet(…)` or `await new BrowserProvider(…).getSigner()`.
 *
 * @example
 * const signer: EthersSigner = Wallet.createRandom();
 */
export interface EthersSigner {
  getAddress(): Promise<string>;
  signTypedData(domain: never, types: never, message: never): Promise<string>;
}

/**
 * The provider of a wallet (EIP-1193), such as `window.ethereum`. It signs with `eth_signTypedData_v4`.
 *
 * @example
 * const signer: Eip1193Provider = provider;
 */
export interface Eip1193Provider {
  request(request: never): Promise<unknown>;
}

/**
 * Anything that can sign typed data: an account or a wallet client of viem, a signer of ethers 6, or the
 * provider of a wallet (EIP-1193).
 *
 * @example
 * const signers: Signer[] = [account, Wallet.createRandom(), provider];
 */
export type Signer = ViemAccount | ViemWalletClient | EthersSigner | Eip1193Provider;

/**
 * The archive of a community that is to be made, and which people it has. With `encrypted`, `recipientKey` is
 * the age recipient for whom they are encrypted.
 *
 * @example
 * const archive: NewExport = { communityId: 'demo', people: 'none' };
 */
export type NewExport = protocol.NewExport & { communityId: string };

/** An export of a community. `downloadUrl` works for one download, and needs no key. */
export type CommunityExport = protocol.CommunityExport;

/**
 * A file of badges of another service, or of another installation. `mapping` is for `csv`: the column of each
 * field; and for `listings` and `poap`: how they are read.
 *
 * @example
 * const file = new Blob(['headline,email\nSpeaker,ada@example.org\n']);
 * const badges: NewImport = { communityId: 'demo', file, format: 'csv', isDryRun: true };
 */
export interface NewImport {
  communityId: string;
  file: Blob;
  format: protocol.BadgeImport['format'];
  isDryRun: boolean;
  mapping?: Record<string, string> | undefined;
}

/** An import of badges, how far it has come, and what could not be imported. */
export type BadgeImport = protocol.BadgeImport;
