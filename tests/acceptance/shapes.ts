export type Body = Record<string, unknown>;

export interface Page<Item> {
  limit: number;
  offset: number;
  data: Item[];
}

export interface CustomAttribute {
  fieldName: string;
  type: string;
  value: unknown;
}

export interface Token {
  tokenId: number;
  headline: string;
  description: string;
  startDateTimestamp: number | null;
  endDateTimestamp: number | null;
  links: string[];
  communityId: string;
  createdByAddress: string;
  createdAtTimestamp: number;
  imageUrl: string;
  claimabilityAttributes: {
    isSignatureRequired: boolean;
    isAllowlistRequired: boolean;
    totalClaimCount: number | null;
    remainingClaimCount: number | null;
    expirationTimestamp: number | null;
  };
  claimedCount: number;
  contributorCount: number | null;
  recipientCount: number;
  isHidden: boolean;
  replacedByTokenId: number | null;
  importedFrom: { service: string; id: string; url: string | null; importedAtTimestamp: number } | null;
  nftTypeId: string;
  customAttributes: CustomAttribute[];
  criteria: string | null;
  claimableFromTimestamp: number | null;
  validUntilTimestamp: number | null;
  validityDays: number | null;
}

export interface WalletToken {
  badgeTokenId: number;
  headline: string;
  assetUrl: string;
  createdAt: string;
  claimStatus: 'claimed' | 'unclaimed';
  validUntilTimestamp: number | null;
  isExpired: boolean;
  communityId: string;
}

export interface Community {
  uniqId: string;
  displayId: string;
  name: string;
  description: string;
  logoUrl: string;
}

export interface CommunityWithAdmins extends Community {
  adminAddresses: string[];
  contractWalletChainId: number;
  reminders: { unclaimedAfterDays: number[]; beforeExpiryDays: number[] };
}

export interface ApiKey {
  apiKeyId: string;
  name: string;
  prefix: string;
  role: string;
  createdBy: string | null;
  createdAtTimestamp: number;
  expiresAtTimestamp: number | null;
}

export interface AuditEntry {
  auditEntryId: number;
  recordedAtTimestamp: number;
  actor: 'apiKey' | 'session' | 'operator' | 'signature' | 'claimCode' | 'service';
  apiKeyId: string | null;
  address: string | null;
  action: string;
  communityId: string;
  resourceType: string;
  resourceId: string;
  reason: string | null;
  apiKeyName: string | null;
  resourceName: string | null;
  tokenId: number | null;
  headline: string | null;
  ownerAddress: string | null;
  toAddress: string | null;
  operationStatus: string | null;
}

export interface CommunityToken {
  tokenId: number;
  headline: string;
  assetUrl: string;
  /** ISO 8601, unlike the other fields whose names end with Timestamp. */
  createdAtTimestamp: string;
  customAttributes: CustomAttribute[];
}

export interface NftType {
  nftTypeId: string;
  name: string;
  previewAssetUrl: string;
  isUserAdded: boolean;
  hasTextOverlay: boolean;
}

export interface CreatedNftType extends NftType {
  assetUrl: string;
}

export interface Operation {
  operationId: string;
  operationType: string;
  status: 'pending' | 'processing' | 'success' | 'error';
  resourceId: number | null;
  txHash: string | null;
  error: Problem | null;
  warnings: RequestError[];
  createdAtTimestamp: number;
  completedAtTimestamp: number | null;
}

export interface RequestError {
  pointer?: string;
  parameter?: string;
  detail: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  name: string;
  error: string;
  errors?: RequestError[];
}

export interface Environment {
  hasKeptBadges: boolean;
  environment: 'sandbox' | 'production';
  eip712: {
    domain: { name: string; chainId: number; verifyingContract: string };
    types: Record<string, { name: string; type: string }[]>;
  };
  contractWalletChainIds: number[];
}

export interface MediaType {
  schema?: Schema;
}

/** The keywords of JSON Schema that the suite reads. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
}

export interface DocumentedResponse {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}

export interface DocumentedParameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  schema: Schema;
}

export interface DocumentedOperation {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: DocumentedParameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, DocumentedResponse>;
}

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}
