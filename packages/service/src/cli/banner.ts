import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toBadgeMessage } from '@badge/protocol';
import type { Service } from '../app.ts';
import type { Config } from '../config.ts';
import { DEMO_COMMUNITY_ID } from '../domain/communities/prepare-demo.ts';
import { toChecksumAddress } from '../signatures/address.ts';
import { addressOfPrivateKey, signDigest } from '../signatures/recover-signer.ts';

/** Prints the URL of the service and, in the sandbox, a command that creates a token. The log goes to stderr. */
export async function printBanner(config: Config, service: Service): Promise<void> {
  const { publicUrl } = service.context.settings;
  const lines = [
    '',
    `  Badge (${config.environment}) is at ${publicUrl}`,
    `  API reference    ${publicUrl}/docs`,
  ];
  if (service.adminKeyFile !== undefined)
    lines.push(`  Operator's key   in the file ${service.adminKeyFile}`);
  if (service.demoApiKey !== undefined) {
    const bodyFile = await writeFirstToken(config, service);
    lines.push(
      `  Demo API key     ${service.demoApiKey}   (community "${DEMO_COMMUNITY_ID}")`,
      '',
      '  Create a token:',
      '',
      `curl -i ${publicUrl}/v1/tokens -H 'Authorization: Bearer ${service.demoApiKey}' -H 'Content-Type: application/json' --data-binary @${quote(bodyFile)}`,
      '',
      `  Then open the Location from the response, and ${publicUrl}/v1/tokens?order=desc`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

// Each start signs a new token with a random key, so that the printed command works without changes.
async function writeFirstToken(config: Config, { context }: Service): Promise<string> {
  const privateKey = randomBytes(32);
  const token = {
    creator: toChecksumAddress(addressOfPrivateKey(privateKey)),
    headline: `My first badge, ${new Date().toISOString()}`,
    description: 'Created with the command that the service printed.',
    communityId: DEMO_COMMUNITY_ID,
    nftTypeId: 'defaultOrangeRed',
    isSignatureRequired: false,
    isAllowlistRequired: false,
    totalClaimCount: 100,
  };
  const signature = signDigest(context.typedData.badgeDigest(toBadgeMessage(token)), privateKey);
  const file = join(config.dataDir, 'first-token.json');
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify({ ...token, signature }, null, 2)}\n`);
  return file;
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
