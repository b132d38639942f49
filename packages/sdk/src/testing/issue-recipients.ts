// Run by issue.test.ts, which kills it. Issues a token to the recipients in its environment, and writes each
// result as a line.
import { writeSync } from 'node:fs';
import { privateKeyToAccount } from 'viem/accounts';
import { createBadgeClient } from '../index.ts';

const { BADGE_URL: url = '', BADGE_API_KEY: apiKey, ISSUANCE = '' } = process.env;
const { privateKey, ...issuance } = JSON.parse(ISSUANCE);
await createBadgeClient({ url, apiKey }).issue({
  ...issuance,
  signer: privateKeyToAccount(privateKey),
  onResult: (result) => void writeSync(1, `${JSON.stringify(result)}\n`),
});
