import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { createCanvas } from '@napi-rs/canvas';
import { privateKeyToAccount } from 'viem/accounts';
import {
  BadgeApiError,
  type BadgeClient,
  BadgeConnectionError,
  createBadgeClient,
  type PendingOperation,
} from '../packages/sdk/src/index.ts';
import { startService } from '../packages/service/src/app.ts';
import { readConfig } from '../packages/service/src/config.ts';

// npm run demo: what the service does, step by step, on a temporary service.
// BADGE_ADMIN_KEY=… npm run demo -- --url http://localhost:3000: the same on a running service.

/** The width of the column with the headlines, in characters. */
const HEADLINE_WIDTH = 16;
const { url } = readOptions();
const { BADGE_ADMIN_KEY: adminKey } = process.env;

if (url !== undefined && !adminKey) {
  print('The demo creates a community, so it needs the key of the operator, which is in data/admin-key:');
  print(`\n  BADGE_ADMIN_KEY=$(cat data/admin-key) npm run demo -- --url ${url}`);
  process.exit(2);
}
if (url !== undefined && adminKey) await showDemoOnRunningService(url, adminKey);
else await showDemoOnTemporaryService();

function readOptions(): { url?: string | undefined } {
  try {
    const { url } = parseArgs({ options: { url: { type: 'string' } } }).values;
    if (url === undefined || /^https?:\/\//.test(url)) return { url };
  } catch {
    // An unknown option: print the usage.
  }
  print('npm run demo                                                          on a temporary service');
  print('BADGE_ADMIN_KEY=… npm run demo -- --url http://localhost:3000         on a running service');
  process.exit(2);
}

async function showDemoOnRunningService(serviceUrl: string, operatorKey: string): Promise<void> {
  try {
    await showDemo(serviceUrl, operatorKey);
  } catch (error) {
    if (!(error instanceof BadgeApiError || error instanceof BadgeConnectionError)) throw error;
    print(`${styleText('red', error.name)}: ${error.message}`);
    process.exit(1);
  }
  print('\nThe community, its API key, its design and its tokens stay on this service.');
}

async function showDemoOnTemporaryService(): Promise<void> {
  print('Starting a temporary service, with a PostgreSQL of its own …');
  const dataDir = await mkdtemp(join(tmpdir(), 'badge-demo-data-'));
  const removeFiles = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  // Ctrl-C ends the demo at once, and PostgreSQL with it. 130 is the usual exit code after Ctrl-C.
  process.once('exit', removeFiles).once('SIGINT', () => process.exit(130));
  const key = `demo-${crypto.randomUUID()}`;
  const service = await startService(
    readConfig({ PORT: '0', BADGE_DATA_DIR: dataDir, BADGE_ADMIN_KEY: key, LOG_LEVEL: 'silent' }),
  );
  try {
    await showDemo(`http://localhost:${service.port}`, key, await mkdtemp(join(tmpdir(), 'badge-demo-')));
  } finally {
    await service.stop();
  }
  print('\nThe temporary service is stopped, and its data is deleted. To run your own: npm start');
}

/** Shows everything on one service. Saves the pictures in a folder if one is given. */
async function showDemo(serviceUrl: string, operatorKey: string, pictureDir?: string): Promise<void> {
  const operator = createBadgeClient({ url: serviceUrl, apiKey: operatorKey });
  const { version, environment, eip712 } = await operator.getEnvironment();
  print(
    `Badge ${version} (${environment}) is at ${serviceUrl}. Signatures are for chain ${eip712.domain.chainId}.`,
  );

  printTitle('1. Create a community and an API key');
  const creator = createWallet();
  const { uniqId: communityId } = await operator.createCommunity({
    displayId: 'demo-2026',
    name: 'Demo 2026',
    adminAddresses: [creator.address],
  });
  const { apiKey } = await operator.createApiKey({ communityId, name: 'demo' });
  const badge = createBadgeClient({ url: serviceUrl, apiKey });
  print(`  community  ${communityId}`);
  print(`  API key    ${apiKey.slice(0, 20)}…`);

  printTitle('2. Upload a design');
  const assetFile = drawDesign();
  const { nftTypeId } = await badge.createNftType({ communityId, name: 'Demo', assetFile });
  print(`  ${assetFile.size.toLocaleString('en')} bytes of PNG are now the design ${nftTypeId}`);

  printTitle(`3. Create two tokens, signed by ${shorten(creator.address)}`);
  const [ada, ben, eve] = [createWallet(), createWallet(), createWallet()];
  const speaker = await watch(
    'Speaker',
    'for Ada and Ben only',
    badge.createToken({
      signer: creator,
      communityId,
      headline: 'Speaker',
      nftTypeId: 'defaultOrangeRed',
      contributors: [ada.address, ben.address],
    }),
  );
  const guest = await watch(
    'Guest',
    'for everyone, 2 claims',
    badge.createToken({
      signer: creator,
      communityId,
      headline: 'Guest',
      nftTypeId,
      totalClaimCount: 2,
    }),
  );

  printTitle('4. Claim them with three wallets');
  // Claims need no API key: each wallet signs.
  const visitor = createBadgeClient({ url: serviceUrl });
  await watch('Speaker', 'Ada claims', visitor.claim({ tokenId: speaker, signer: ada }));
  await watch('Guest', 'Ada claims', visitor.claim({ tokenId: guest, signer: ada }));
  await watch('Guest', 'Ben claims', visitor.claim({ tokenId: guest, signer: ben }));
  await watch('Guest', 'Eve claims', visitor.claim({ tokenId: guest, signer: eve }));
  await watch('Speaker', 'Eve claims', visitor.claim({ tokenId: speaker, signer: eve }));

  printTitle('5. Send a claim link to Eve');
  // The creator signs, because the link adds an entry to the allowlist.
  const { items } = await badge.createClaimLinks({ tokenId: speaker, count: 1, signer: creator });
  for (const { url, code } of items) {
    print(`  ${url}`);
    const claim = { tokenId: speaker, claimingAddress: eve.address, claimCode: code };
    await watch('Speaker', 'Eve claims by code', visitor.claim(claim));
  }

  for (const [name, { address }] of [
    ['Ada', ada],
    ['Ben', ben],
  ] as const) {
    printTitle(`The wallet of ${name}, ${shorten(address)}`);
    await printWallet(visitor, address);
  }

  printTitle('The pictures');
  for (const tokenId of [speaker, guest]) {
    const { headline, imageUrl } = await visitor.getToken({ tokenId });
    const place = pictureDir === undefined ? imageUrl : await savePicture(imageUrl, pictureDir, headline);
    print(`  ${headline.padEnd(HEADLINE_WIDTH)}${place}`);
  }
}

function createWallet() {
  const privateKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');
  return privateKeyToAccount(`0x${privateKey}`);
}

/**
 * Prints that an operation succeeded, or why it was refused or failed. Returns the id of the token; 0 without
 * success.
 */
async function watch(headline: string, what: string, started: Promise<PendingOperation>): Promise<number> {
  process.stdout.write(`  ${headline.padEnd(HEADLINE_WIDTH)}${what.padEnd(24)}`);
  const startMs = performance.now();
  try {
    const operation = await started;
    process.stdout.write(`pending `);
    const { tokenId, operationType } = await operation.wait();
    const tookMs = Math.round(performance.now() - startMs);
    const result = operationType === 'createToken' ? `: token ${tokenId}` : '';
    print(`→ ${styleText('green', 'success')} after ${tookMs} ms${result}`);
    return tokenId;
  } catch (error) {
    if (!(error instanceof BadgeApiError)) throw error;
    print(`${styleText('yellow', error.name)}: ${error.detail}`);
    return 0;
  }
}

async function printWallet(badge: BadgeClient, address: string): Promise<void> {
  print(
    styleText('dim', `  ${'token'.padEnd(8)}${'headline'.padEnd(HEADLINE_WIDTH)}${'status'.padEnd(12)}since`),
  );
  for await (const { badgeTokenId, headline, claimStatus, createdAt } of badge.listWalletTokens({
    address,
  })) {
    print(
      `  ${String(badgeTokenId).padEnd(8)}${headline.padEnd(HEADLINE_WIDTH)}${claimStatus.padEnd(12)}${createdAt}`,
    );
  }
}

async function savePicture(imageUrl: string, pictureDir: string, name: string): Promise<string> {
  const response = await fetch(imageUrl);
  if (!response.ok) throw new Error(`${imageUrl} returned ${response.status}`);
  const path = join(pictureDir, `${name.toLowerCase()}.png`);
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  return path;
}

function drawDesign(): Blob {
  const side = 512;
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  const gradient = context.createLinearGradient(0, 0, side, side);
  gradient.addColorStop(0, '#1d4ed8');
  gradient.addColorStop(1, '#db2777');
  context.fillStyle = gradient;
  context.fillRect(0, 0, side, side);
  context.strokeStyle = '#ffffff';
  context.lineWidth = 12;
  for (const radius of [80, 140, 200]) {
    context.beginPath();
    context.arc(side / 2, side / 2, radius, 0, 2 * Math.PI);
    context.stroke();
  }
  return new Blob([new Uint8Array(canvas.toBuffer('image/png'))]);
}

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

function printTitle(title: string): void {
  print(`\n${styleText('bold', title)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
