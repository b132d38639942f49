import { type Operation, TYPED_DATA_VERSION } from '@badge/protocol';
import {
  newAddress,
  newWallet,
  SANDBOX,
  signedAdminAirdrop,
  signedBurn,
  signedClaim,
  signedContributors,
  signedToken,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import {
  getAddress,
  parseSignature,
  recoverTypedDataAddress,
  signatureToCompactSignature,
  type TypedDataDefinition,
} from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSecrets, readWhole } from '../../src/testing/canaries.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

async function requestAndWait(path: string, json: object, key: string | undefined = service.apiKey) {
  const response = await service.call(path, { json, key });
  expect(response.status, await response.clone().text()).toBe(202);
  const operation = await service.call(`${response.headers.get('location')}?wait=30`);
  return (await operation.json()) as Operation;
}

async function createToken(fields: Record<string, unknown> = {}, creator = newWallet()): Promise<number> {
  const { status, resourceId } = await requestAndWait('/v1/tokens', await signedToken(fields, creator));
  expect(status).toBe('success');
  return resourceId ?? 0;
}

const readSignatures = (operationId: string) =>
  query<{ primary_type: string; token_id: string; signer: Buffer; signature: Buffer; version: string }>(
    service.databaseUrl,
    `select primary_type, token_id::text, signer, signature, typed_data_version as version
     from signatures where operation_id = $1 order by primary_type`,
    [operationId],
  );

/**
 * Expects one stored signature for each entry of `signers`. An entry maps the type of a message to its
 * signer. Each signature must be valid for the data in its row.
 */
async function expectStored(operation: Operation, signers: Record<string, string>): Promise<void> {
  const rows = await readSignatures(operation.operationId);
  expect(rows.map((row) => row.primary_type)).toEqual(Object.keys(signers).sort());
  for (const { primary_type: primaryType, token_id: tokenId, signer, signature, version } of rows) {
    expect(version).toBe(TYPED_DATA_VERSION);
    const definition = {
      domain: SANDBOX.domain,
      types: SANDBOX.types,
      primaryType,
      message: { tokenId: BigInt(tokenId) },
    } as unknown as TypedDataDefinition;
    const recovered = await recoverTypedDataAddress({
      ...definition,
      signature: `0x${signature.toString('hex')}`,
    });
    expect(recovered).toBe(getAddress(`0x${signer.toString('hex')}`));
    expect(recovered).toBe(signers[primaryType]);
  }
}

test('signatures of claims, burns, admin airdrops and added contributors remain stored, and no response contains them', async () => {
  const [admin, claimer, receiver, other, creator] = [
    newWallet(),
    newWallet(),
    newWallet(),
    newWallet(),
    newWallet(),
  ];
  await query(
    service.databaseUrl,
    "update communities set admin_addresses = array[$1::bytea] where community_id = 'demo'",
    [Buffer.from(admin.address.slice(2), 'hex')],
  );
  const tokenId = await createToken();
  const path = `/v1/tokens/${tokenId}`;
  const allowlist = { isAllowlistRequired: true, totalClaimCount: null, contributors: [newAddress()] };
  const allowlistedTokenId = await createToken(allowlist, creator);

  const claim = await signedClaim(tokenId, claimer);
  const claimOperation = await requestAndWait(`${path}/claim`, claim, undefined);
  await expectStored(claimOperation, { Claim: claimer.address });
  const burn = await signedBurn(tokenId, claimer);
  // The request has the short form of 64 bytes (EIP-2098). The stored signature has 65 bytes.
  const { r, yParityAndS } = signatureToCompactSignature(parseSignature(burn.signature));
  const compact = { ...burn, signature: `${r}${yParityAndS.slice(2)}` };
  await expectStored(await requestAndWait(`${path}/burn`, compact, undefined), { Burn: claimer.address });
  const airdrop = await signedAdminAirdrop(tokenId, { admin, receiver });
  await expectStored(await requestAndWait(`${path}/communityAdminAirdrop`, airdrop), {
    CommunityAdminAirdrop: admin.address,
    CommunityAdminAirdropReceiverConsent: receiver.address,
  });
  const { receiverSignature, ...withoutConsent } = await signedAdminAirdrop(tokenId, {
    admin,
    receiver: other,
  });
  await expectStored(await requestAndWait(`${path}/communityAdminAirdropWithoutConsentSig`, withoutConsent), {
    CommunityAdminAirdrop: admin.address,
  });
  const addition = await signedContributors(allowlistedTokenId, creator, [newAddress()]);
  await expectStored(await requestAndWait(`/v1/tokens/${allowlistedTokenId}/addContributors`, addition), {
    AllowlistedAddress: creator.address,
  });
  const unsignedClaim = await requestAndWait(`${path}/claim`, { claimingAddress: newAddress() });
  expect(await readSignatures(unsignedClaim.operationId)).toEqual([]);

  // Successful operations no longer contain their requests, so the signatures are not stored twice.
  const withRequest = await query(service.databaseUrl, 'select from operations where request is not null');
  expect(withRequest).toEqual([]);

  const signatures = Object.fromEntries(
    [
      claim.signature,
      burn.signature,
      airdrop.adminSignature,
      airdrop.receiverSignature,
      receiverSignature,
      addition.signature,
    ].map((signature, index) => [`signature ${index}`, signature.slice(2)]),
  );
  const reads = [
    ...['', '/owners', `/eligibility?address=${claimer.address}`].map((end) => path + end),
    `/v1/tokens/${allowlistedTokenId}`,
    `/v1/tokens/${allowlistedTokenId}/contributors`,
    '/v1/tokens',
    `/v1/wallets/${receiver.address}/tokens`,
    '/v1/communities/demo',
    '/v1/communities/demo/tokens',
    '/v1/communities/demo/configuration',
    '/v1/auditLog',
    `/v1/operations/${claimOperation.operationId}`,
    `/metadata/${tokenId}`,
  ];
  const responses: Record<string, string> = {};
  for (const read of reads) {
    const response = await service.call(read, { key: service.adminKey });
    responses[read] = await readWhole(response);
    expect(response.status, read).toBe(200);
  }
  expect(findSecrets(signatures, responses)).toEqual([]);
});
