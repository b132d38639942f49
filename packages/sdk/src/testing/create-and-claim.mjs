// Run by packed.slow.test.ts in a project with the packed SDK. It creates and claims a token with each of
// three kinds of signers.
import { createBadgeClient } from '@badge/sdk';
import { Wallet } from 'ethers';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const { BADGE_URL: url, BADGE_API_KEY: apiKey } = process.env;
const badge = createBadgeClient({ url, apiKey });
const walletAccount = privateKeyToAccount(generatePrivateKey());
const provider = {
  async request({ method, params }) {
    if (method === 'eth_accounts') return [walletAccount.address];
    if (method === 'eth_chainId') return '0x13881'; // 80001, the chain of the sandbox
    if (method === 'eth_signTypedData_v4') return await walletAccount.signTypedData(JSON.parse(params[1]));
    throw new Error(`The wallet does not support ${method}`);
  },
};
const signers = {
  'viem account': privateKeyToAccount(generatePrivateKey()),
  'ethers signer': Wallet.createRandom(),
  'EIP-1193 provider': provider,
};
for (const [kind, signer] of Object.entries(signers)) {
  const creation = await badge.createToken({
    signer,
    communityId: 'demo',
    headline: `Made with a ${kind}`,
    nftTypeId: 'defaultOrangeRed',
    totalClaimCount: 1,
  });
  const { tokenId } = await creation.wait();
  const claim = await badge.claim({ tokenId, signer });
  await claim.wait();
  const { remainingClaimCount } = (await badge.getToken({ tokenId })).claimabilityAttributes;
  process.stdout.write(`${kind}: ${remainingClaimCount} claims left\n`);
}
process.stdout.write(`Node ${process.versions.node.split('.')[0]}\n`);
