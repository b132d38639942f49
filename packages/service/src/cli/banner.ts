import { randomBytes } from 'node:crypto';
import { toBadgeMessage } from '@badge/protocol';
import type { Service } from '../app.ts';
import type { Config } from '../config.ts';
import { DEMO_COMMUNITY_ID } from '../domain/communities/prepare-demo.ts';
import { stdout } from '../output.ts';
import { toChecksumAddress } from '../signatures/address.ts';
import { addressOfPrivateKey, signDigest } from '../signatures/sign-digest.ts';
import { describeUnknownVariable } from '../unknown-variables.ts';
import { VERSION } from '../version.ts';

/**
 * Prints to stdout the URLs of the service and, if the service created it, the file of the operator's key. In
 * the sandbox, also prints the demo key, a link that opens the console with it, and a command that creates a
 * token. The log goes to stderr.
 */
export function printBanner(config: Config, service: Service): void {
  const { publicUrl } = service.context.settings;
  const lines = [
    '',
    `  Badge ${VERSION} (${config.environment}) is at ${publicUrl}`,
    `  Web pages        ${service.hasWebPages ? `${publicUrl}/` : 'are not built: run npm run prepare, then restart'}`,
    `  API reference    ${publicUrl}/docs`,
  ];
  lines.push(
    ...config.unknownVariables.map((unknown) => `  Warning          ${describeUnknownVariable(unknown)}`),
  );
  if (service.adminKeyFile !== undefined)
    lines.push(`  Operator's key   in the file ${service.adminKeyFile}`);
  if (service.demoApiKey !== undefined) {
    lines.push(
      // The key is in the fragment, which browsers do not send. The page takes it out of the address bar.
      ...(service.hasWebPages ? [`  Console          ${publicUrl}/console#key=${service.demoApiKey}`] : []),
      `  Demo API key     ${service.demoApiKey}   (community "${DEMO_COMMUNITY_ID}")`,
      '',
      '  Create a token:',
      '',
      `curl -i ${quote(`${publicUrl}/v1/tokens`)} \\`,
      `  -H ${quote(`Authorization: Bearer ${service.demoApiKey}`)} \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d ${quote(JSON.stringify(signFirstToken(service)))}`,
      '',
      `  Then open ${publicUrl}/ in a browser`,
    );
  }
  stdout.write(`${lines.join('\n')}\n\n`);
}

// Signs a token with a random key, so that the printed command works without changes. The headline contains
// the time, so the command of each start creates another token.
function signFirstToken({ context }: Service): object {
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
  return { ...token, signature };
}

// For a POSIX shell: between apostrophes, only the apostrophe itself is special.
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
