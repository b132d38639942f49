import { createHash } from 'node:crypto';
import type { ImageSpec, Requester } from '@badge/badge-images';
import { type BadgeIdentity, signBadge } from '@badge/credentials/issue';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { findNftTypeAsset } from '../../storage/assets.ts';
import type { CredentialState, OwnedToken } from '../../storage/credentials.ts';
import type { TokenRow } from '../../storage/tokens.ts';
import { parseAddressParameter } from '../address-errors.ts';
import { hasToken } from '../claims/rules.ts';
import { parseTokenId } from '../ids.ts';
import { isVideo } from '../nft-types/rules.ts';
import { refuseIfBusy } from '../pictures/read-picture.ts';
import type { Reader } from '../reader.ts';
import { Refusal } from '../refusal.ts';
import { createSignedDocuments, type SignedDocument, toSignedDocument } from '../signed-documents.ts';
import { readTokenRow, readWholeTokenRow, tokenNotFound, toTokenUrls } from '../tokens/read-token.ts';
import { type IdentityRequest, readIdentities } from './read-identities.ts';
import { checkIssuerKey, readCurrentIssuerKey } from './read-issuer-keys.ts';
import { type CredentialPicture, toBadge } from './rules.ts';

const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const MAX_KEPT_DIGESTS = 10_000;
// A claim that is being changed for longer than this is not waited for any more.
const MAX_ATTEMPTS = 3;

/** A credential as JSON. */
export interface Credential extends SignedDocument {
  tokenId: number;
}

/** Who wants a credential. `reader` reads within the limits of the client's address. */
export interface CredentialRequest {
  tokenId: string;
  address: string;
  reader: Reader;
  requester: Requester;
  /** Absent: the credential names nobody, as everybody can read it. */
  identity?: IdentityRequest | undefined;
}

/**
 * Returns a function that reads the credentials of owners, and keeps the signed ones that were read last:
 * only those that everybody can read.
 */
export function createCredentialReader(
  context: Context,
): (request: CredentialRequest) => Promise<Credential> {
  const readSigned = createSignedDocuments(MAX_KEPT_BYTES);
  const readPicture = createPictureReader(context);

  return async ({ tokenId: tokenText, address: addressText, reader, requester, identity }) => {
    const tokenId = parseTokenId(tokenText);
    const address = parseAddressParameter(addressText);
    if (tokenId === null) throw tokenNotFound();
    // Before a credential is recorded.
    const identities =
      identity === undefined
        ? null
        : await readIdentities(context, identity, {
            communityId: (await readTokenRow(context, tokenText)).community_id,
            address,
          });
    const { state, claimedAt, credential } = await readState(context, { tokenId, address });
    const sign = async (named: BadgeIdentity[]) => {
      const key = { communityId: state.community_id, generation: credential.generation };
      const keys = checkIssuerKey(context, key, credential.public_key);
      const token = await readWholeTokenRow(context, reader, tokenText);
      const picture = await readPicture(token, requester);
      const badge = toBadge(context.settings, {
        token,
        address,
        claimedAt,
        state,
        credential,
        picture,
        identities: named,
      });
      return await signBadge(badge, (digest) => keys.sign(key, digest));
    };
    if (identities !== null) return { tokenId, ...toSignedDocument(await sign(identities)) };
    // Nothing else that a credential contains ever changes.
    const basis = JSON.stringify([state.community_name, state.logo_url, state.criteria]);
    const signed = await readSigned(credential.credential_id, basis, () => sign([]));
    return { tokenId, ...signed };
  };
}

interface ValidState {
  state: CredentialState;
  claimedAt: Date;
  credential: NonNullable<CredentialState['credential']>;
}

// Records a credential if the owner has none. Whoever ends the claim waits for this, or this sees that the
// claim has ended.
async function readState(context: Context, owner: OwnedToken): Promise<ValidState> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const state = await context.lookUps.findCredentialState(owner);
    if (state === undefined) throw tokenNotFound();
    const { owner_status: status, claimed_at: claimedAt, credential } = state;
    if (status === null || claimedAt === null) {
      throw new Refusal('OwnerNotFound', 'The address has never had this token.');
    }
    if (!hasToken({ status })) {
      throw new Refusal('CredentialRevoked', `The address has lost this token: it was ${status}.`);
    }
    if (credential !== null) return { state, claimedAt, credential };
    const { communityId, generation } = await readCurrentIssuerKey(context, state.community_id);
    const choice = { communityId, generation, baseUrl: context.settings.statusUrl };
    await context.insertCredential({ ...owner, choice, mayWait: attempt > 1 });
  }
  throw new Refusal('Unavailable', 'The token of this address is being changed. Retry later.');
}

/** Returns a function that reads the address and the hash of the picture of a token. */
export function createPictureReader({
  database,
  images,
  settings,
}: Pick<Context, 'database' | 'images'> & {
  settings: Pick<Context['settings'], 'publicUrl' | 'imageUrl'>;
}): (token: TokenRow, requester: Requester) => Promise<CredentialPicture> {
  const digests = new LRUCache<string, string>({ max: MAX_KEPT_DIGESTS });

  async function readDrawnDigest(spec: ImageSpec, requester: Requester): Promise<string> {
    const hash = images.hashOf(spec);
    const known = digests.get(hash);
    if (known !== undefined) return known;
    const png = await images.render(spec, requester).catch(refuseIfBusy);
    const digest = createHash('sha256').update(png).digest('base64');
    digests.set(hash, digest);
    return digest;
  }

  return async (token, requester) => {
    const { headline, asset_content_type: contentType } = token;
    const url = toTokenUrls(settings, token).imageUrl;
    if (contentType === null || isVideo(contentType)) {
      const spec: ImageSpec =
        contentType === null
          ? { kind: 'token', designId: token.nft_type_id, headline }
          : { kind: 'poster', headline };
      return { url, mediaType: 'image/png', digest: await readDrawnDigest(spec, requester) };
    }
    const asset = await findNftTypeAsset(database, token.community_id, token.nft_type_id);
    if (asset === undefined) throw new Error(`the asset of token ${token.token_id} is missing`);
    return { url, mediaType: contentType, digest: asset.content_hash.toString('base64') };
  };
}
