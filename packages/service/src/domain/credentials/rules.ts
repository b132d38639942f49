import type { Badge, BadgeIdentity } from '@badge/credentials/issue';
import { toDidKey } from '@badge/credentials/issue';
import type { CustomAttribute } from '@badge/protocol';
import type { Settings } from '../../context.ts';
import { type Address, toChecksumAddress } from '../../signatures/address.ts';
import type { CredentialState } from '../../storage/credentials.ts';
import type { TokenRow } from '../../storage/tokens.ts';
import { Refusal } from '../refusal.ts';

/** The picture of a badge. `digest` is the SHA-256 in base64. */
export type CredentialPicture = Badge['achievement']['picture'];

/** A time as credentials contain it: ISO 8601 in whole seconds, rounded down. */
export function toSeconds(date: Date): string {
  return `${date.toISOString().slice(0, -'.000Z'.length)}Z`;
}

// XML Schema writes years of more than four digits differently, so such an end is left out.
function toEnd(date: Date | null): string | null {
  const text = date === null ? '' : toSeconds(date);
  return /^\d{4}-/.test(text) ? text : null;
}

/** Returns what a credential says about a token and its owner. Equal arguments give an equal result. */
export function toBadge(
  { publicUrl, imageUrl, domain }: Pick<Settings, 'publicUrl' | 'imageUrl' | 'domain'>,
  {
    token,
    address,
    claimedAt,
    state,
    credential,
    picture,
    identities,
  }: {
    token: TokenRow;
    address: Address;
    claimedAt: Date;
    state: Pick<CredentialState, 'community_name' | 'logo_url' | 'criteria'>;
    credential: NonNullable<CredentialState['credential']>;
    picture: CredentialPicture;
    identities: BadgeIdentity[];
  },
): Badge {
  return {
    id: `urn:uuid:${credential.credential_id}`,
    validFrom: toSeconds(claimedAt),
    validUntil: toEnd(credential.valid_until),
    created: toSeconds(credential.created_at),
    issuer: {
      did: toDidKey(credential.public_key),
      name: toPlainText(state.community_name),
      pictureUrl: state.logo_url === null ? `${imageUrl}/logo.png` : toIri(state.logo_url),
    },
    subjectId: `did:pkh:eip155:${domain.chainId}:${toChecksumAddress(address)}`,
    identities,
    startDate: toDay(token.start_timestamp),
    endDate: toDay(token.end_timestamp),
    achievement: {
      id: `${publicUrl}/v1/tokens/${token.token_id}`,
      name: toPlainText(token.headline),
      // Open Badges requires a description.
      description: toPlainText(token.description === '' ? token.headline : token.description),
      narrative: toPlainText(toNarrative(token, state)),
      picture,
    },
    results: token.custom_attributes.map((attribute) => ({
      name: toPlainText(attribute.fieldName),
      value: toPlainText(toResult(attribute)),
    })),
    status: { listUrl: credential.list_url, index: credential.status_index },
  };
}

// A credential of an imported token says so, because the issuer vouches only for what it has imported.
function toNarrative(
  token: TokenRow,
  { criteria, community_name }: Pick<CredentialState, 'criteria' | 'community_name'>,
): string {
  const { imported_service: service, imported_at: importedAt } = token;
  if (service === null || importedAt === null) return criteria ?? describeGiving(token, community_name);
  const origin = `Imported from ${service} on ${importedAt.toISOString().slice(0, 10)}. Who made it there has not signed it here.`;
  return criteria === null ? origin : `${criteria}\n\n${origin}`;
}

/** Says how a badge was given, in English, for tokens without criteria. */
export function describeGiving(
  {
    is_allowlist_required: isListed,
    total_claim_count: count,
  }: Pick<TokenRow, 'is_allowlist_required' | 'total_claim_count'>,
  communityName: string,
): string {
  if (isListed) return `${communityName} decided who can have this badge, and this person has taken it.`;
  return `${communityName} offered this badge to everyone. It can be taken ${count === 1 ? 'once' : `${count} times`}.`;
}

/**
 * Replaces control characters, except line ends, by spaces. RDFC-1.0 signs them in another form than its
 * predecessor URDNA2015, which verifiers still use.
 */
export function toPlainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace.
  return text.replaceAll(/[\0-\x09\x0b\x0c\x0e-\x1f\x7f]/g, ' ');
}

// A number as JSON writes it, and a time in milliseconds as ISO 8601.
function toResult({ type, value }: CustomAttribute): string {
  return type === 'date' && typeof value === 'number' ? new Date(value).toISOString() : String(value);
}

// XML Schema writes years of more than four digits differently, so such a day is left out.
function toDay(timestamp: number | null): string | null {
  if (timestamp === null) return null;
  const text = new Date(timestamp).toISOString();
  return /^\d{4}-/.test(text) ? text.slice(0, 10) : null;
}

// A URL can contain characters that an IRI cannot. Verifiers would treat them differently.
function toIri(url: string): string | null {
  if (!URL.canParse(url)) return null;
  return new URL(url).href.replaceAll(
    /[\\{}|^`]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}

export function credentialsUnavailable(detail: string): Refusal {
  return new Refusal('CredentialsUnavailable', detail);
}
