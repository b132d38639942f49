import type { ClaimBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { Encryption } from '../../encryption.ts';
import { type Address, parseAddress } from '../../signatures/address.ts';
import type { KeptAddressId } from '../../signatures/kept-addresses.ts';
import { type FoundClaimLink, findClaimLink } from '../../storage/claim-links.ts';
import type { ClaimRequest } from '../../storage/claims.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { findEntryOfEmail } from '../../storage/named-recipients.ts';
import type { NewSignature } from '../../storage/operations.ts';
import type { EmailSession } from '../../storage/sessions.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { beginTokenSignatureCheck, type RunChainCalls, type SignatureCheck } from '../check-signature.ts';
import { hashClient, toSentCode } from '../claim-links/rules.ts';
import { namesOfEmail, normaliseContributor } from '../contributors/rules.ts';
import { prepareKeptAddress, receivingAddressOf, requireKeptAddresses } from '../kept-addresses.ts';
import { encryptClaimer } from '../recipients/rules.ts';
import { Refusal } from '../refusal.ts';
import { decryptEmail } from '../sessions/read-session.ts';
import { checkNotReplaced, currentIdOf, withTokenRow } from '../tokens/read-token.ts';
import { checkEligible } from './read-eligibility.ts';
import { describeClaimRefusal, identifyRequestAboutToken } from './rules.ts';

/**
 * Accepts a claim, with the claimer's signature, the code of a claim link or the community's API key; or the
 * claim of somebody with a session by e-mail, for whom the token is kept. `client` is the name of the
 * client's address.
 */
export async function requestClaim(
  context: Context,
  caller: Caller | null,
  {
    tokenId,
    body,
    key,
    client,
    runChainCalls,
  }: {
    tokenId: string;
    body: ClaimBody;
    key: OperationKey | null;
    client: string;
    runChainCalls: RunChainCalls;
  },
): Promise<AcceptedOperation> {
  return await withTokenRow(context, tokenId, async (token) => {
    const session = caller?.kind === 'emailSession' ? caller : null;
    if (caller !== null && session === null) await checkMayActFor(context, caller, token.community_id);
    // A code finds its link after a replacement, too.
    if (!body.claimCode) checkNotReplaced(token);
    const person = session && (await readPerson(context, token, session));
    const address = person?.address ?? parseAddress(sentAddress(body));
    const proof = beginProofCheck(context, caller, { token, address, body, runChainCalls });
    const link = body.claimCode ? await readClaimLink(context, token, body.claimCode) : null;
    const isSigned = proof !== null;
    if (link?.is_signature_required && !isSigned) {
      throw new Refusal(
        'SignatureRequired',
        "This code can only be used with the claimer's signature, so with a wallet.",
      );
    }
    const tokenId = currentIdOf(token);
    const entryKey = await findEntry(context, { tokenId, body, link, person });
    const request: ClaimRequest = {
      tokenId,
      address,
      identifierKey: entryKey,
      isAllowlistBypassed: false,
      claimLinkId: link?.claim_link_id ?? null,
      clientHash:
        body.claimCode && link?.is_for_room && !isSigned && person === null
          ? hashClient(link.made_for_token_id, body.claimCode, client)
          : null,
      claimer:
        person && encryptClaimer(person.encryption, person, [address, ...(entryKey ? [entryKey] : [])]),
      // The wallet of somebody's later badges may be that of somebody else.
      isForOther: person === null ? !isSigned : !person.isKept,
    };
    await checkEligible(context, request);
    const signature = await proof?.finish();
    if (person?.isKept === true) await prepareKeptAddress(context, context.database, person);
    return await acceptOperation(context, {
      operationType: 'claim',
      communityId: token.community_id,
      caller,
      key,
      // If the same address claims with the code of another link, this is another request, not a repetition.
      // Links of one identifier count as one.
      requestIdentity: identifyRequestAboutToken('claim', request.tokenId, [
        address,
        ...(link === null ? [] : [link.contributor_key]),
      ]),
      signatures: signature === undefined ? [] : [signature],
      request,
    });
  });
}

/** Somebody who claims with an e-mail, and the address that gets the token. */
type Person = KeptAddressId & { address: Address; isKept: boolean; email: string; encryption: Encryption };

async function readPerson(context: Context, token: TokenSummaryRow, session: EmailSession): Promise<Person> {
  const { encryption } = requireKeptAddresses(context);
  const id = { communityId: token.community_id, emailHash: session.emailHash };
  const receiver = await receivingAddressOf(context, id);
  return { ...id, ...receiver, email: decryptEmail(context, session), encryption };
}

function sentAddress({ claimingAddress }: ClaimBody): string {
  if (claimingAddress == null) throw new Error('the body of the claim was not checked');
  return claimingAddress;
}

// The contributor key of the entry that the claim can use, besides that of the address: of the identifier, of
// the link or of the person. Null: none, or the code of a room, which adds the address.
async function findEntry(
  context: Context,
  {
    tokenId,
    body,
    link,
    person,
  }: { tokenId: number; body: ClaimBody; link: FoundClaimLink | null; person: Person | null },
): Promise<Buffer | null> {
  if (body.identifier) return normaliseContributor(body.identifier).key;
  if (link !== null) return link.is_for_room ? null : link.contributor_key;
  if (person === null) return null;
  const { emailHash, email } = person;
  return await findEntryOfEmail(context.database, { tokenId, emailHash, ...namesOfEmail(email) });
}

async function readClaimLink(
  context: Context,
  token: TokenSummaryRow,
  claimCode: string,
): Promise<FoundClaimLink> {
  const link = await findClaimLink(context.database, toSentCode(token, claimCode));
  if (link !== undefined) return link;
  checkNotReplaced(token);
  throw new Refusal('ClaimCodeInvalid', describeClaimRefusal('ClaimCodeInvalid'));
}

// Checks that the claim has the signature, the code or the API key that it needs. Begins the check of the
// signature; null if none was sent.
function beginProofCheck(
  context: Context,
  caller: Caller | null,
  {
    token,
    address,
    body,
    runChainCalls,
  }: { token: TokenSummaryRow; address: Address; body: ClaimBody; runChainCalls: RunChainCalls },
): SignatureCheck<NewSignature> | null {
  const signature = body.signature ?? null;
  if (signature === null && token.is_signature_required) {
    throw new Refusal(
      'SignatureRequired',
      "This token can only be claimed with the claimer's signature, so with a wallet.",
    );
  }
  if (signature === null && caller === null && !body.claimCode) {
    throw new Refusal(
      'ApiKeyOrSignatureRequired',
      "Send the claimer's signature of the Claim message, the code of a claim link or the community's API key.",
    );
  }
  if (body.identifier && caller === null) {
    throw new Refusal('ApiKeyRequired', "Only the community's API key can claim for an identifier.");
  }
  if (signature === null) return null;
  return beginTokenSignatureCheck(context, {
    primaryType: 'Claim',
    token,
    signer: address,
    signature,
    refusal: 'NotSignedByClaimer',
    runChainCalls,
  });
}
