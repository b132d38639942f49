import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { type Badge, hashIdentity, signBadge, signStatusList, toDidKey } from '@badge/credentials/issue';
import { newWallet } from '@badge/test-support/signing';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { browserTest, openPage, type PageOptions, START_PATH } from './harness/browser.ts';
import { type OtherFile, startOtherSite } from './harness/other-site.ts';
import { expectAccessible, expectNoAxeViolations } from './harness/page-checks.ts';
import { loadLanguages, takeScreenshots } from './harness/screenshots.ts';
import { type Site, sharedSite, startSite } from './harness/site.ts';

const site = sharedSite();
beforeAll(async () => {
  await site.operator.createCommunity({
    uniqId: 'builders-of-files',
    displayId: 'builders-of-files',
    name: 'Builders of Lisbon',
  });
});

const HEADLINE = 'Speaker & "host" 2026';

interface Given {
  tokenId: number;
  owner: string;
  /** The path of the credential, without its ending. */
  path: string;
}

/** Creates a badge and gives it to somebody. */
async function giveBadge(from: Site = site): Promise<Given> {
  const creation = await from.operator.createToken({
    signer: newWallet(),
    communityId: from === site ? 'builders-of-files' : 'demo',
    nftTypeId: 'defaultBlueGreen',
    headline: HEADLINE,
    description: 'Gave a talk.\nThank you!',
    totalClaimCount: 10,
    customAttributes: [{ fieldName: 'track', type: 'string', value: 'Typed data' }],
  });
  const { tokenId } = await creation.wait();
  const owner = newWallet().address;
  await (await from.operator.claim({ tokenId, claimingAddress: owner })).wait();
  return { tokenId, owner, path: `/v1/tokens/${tokenId}/credentials/${owner}` };
}

async function readFile(path: string, from: Site = site): Promise<Buffer> {
  const response = await fetch(`${from.url}${path}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

async function chooseFile(page: Page, content: Buffer | string, name = 'badge.json'): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({
    name,
    mimeType: name.endsWith('png') ? 'image/png' : 'application/json',
    buffer: Buffer.from(content),
  });
}

const verdict = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true });

browserTest('a person checks the file of a badge of this service', async () => {
  const { owner, path } = await giveBadge();
  const page = await openPage(site, '/verify');
  await page.getByRole('heading', { level: 1, name: 'Check a credential' }).waitFor();
  await page.getByRole('heading', { name: 'Where to get the file' }).waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'verify');

  await chooseFile(page, await readFile(`${path}.json`));
  await verdict(page, 'Valid').waitFor();
  await page.getByText("The issuer's list says that it is not revoked.").waitFor();
  await page.getByText('It says: Builders of Lisbon').waitFor();
  await page
    .getByText(`Confirmed: ${new URL(site.url).host} signs with this key for Builders of Lisbon.`)
    .waitFor();
  for (const text of [HEADLINE, 'Gave a talk.', 'track', 'Typed data'])
    await page.getByText(text).first().waitFor();
  const wallet = page.locator('section').filter({ has: page.getByRole('heading', { name: 'For whom' }) });
  expect((await wallet.textContent())?.replaceAll(/\s/g, '')).toContain(owner);
  await wallet.getByText('chain 80001').waitFor();
  const picture = page.getByRole('img', { name: HEADLINE });
  await picture.waitFor();
  // Focus moves to the result, so that a screen reader continues there.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Valid');
  await expectAccessible(page);
  await takeScreenshots(page, 'verify-valid');
});

browserTest('after a file was checked, the button never shows an error', async () => {
  const { path } = await giveBadge();
  const page = await openPage(site, '/');
  await page.getByRole('link', { name: 'Check a credential' }).click();
  const field = page.getByRole('textbox', { name: 'Or a link' });
  const check = page.getByRole('button', { name: 'Check', exact: true });
  await check.click();
  const error = page.getByText('Enter a link that begins with https://.');
  await error.waitFor();
  await field.fill('no link');

  await chooseFile(page, await readFile(`${path}.json`));
  await verdict(page, 'Valid').waitFor();
  expect(await error.isVisible()).toBe(false);
  expect(await field.inputValue()).toBe('');
  await check.click();
  // The file is checked again, so the focus moves to the result again.
  await page.waitForFunction(() => document.activeElement?.textContent === 'Valid');
  expect(await error.isVisible()).toBe(false);

  // A link takes the place of the file.
  await page.getByText('badge.json').waitFor();
  await field.fill(`${path}.json`);
  await check.click();
  await page.getByText('badge.json').waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.textContent === 'Valid');
});

browserTest('a file can be dropped: the picture with the credential inside', async () => {
  const { path } = await giveBadge();
  const png = await readFile(`${path}.png`);
  const page = await openPage(site, '/verify');
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  await page.evaluate((base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], 'badge.png', { type: 'image/png' }));
    for (const type of ['dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, png.toString('base64'));
  await verdict(page, 'Valid').waitFor();
  const picture = page.getByRole('img', { name: HEADLINE });
  await picture.waitFor();
  // The picture is that of the file, which is the signed one.
  expect(await picture.getAttribute('src')).toMatch(/^blob:/);
});

browserTest('a picture that is not the signed one is not shown', async () => {
  const { path } = await giveBadge();
  const { bakeCredential } = await import('@badge/credentials/issue');
  const other = await readFile('/images/nft/defaultGoldBlack.png');
  const credential = (await readFile(`${path}.json`)).toString();
  const page = await openPage(site, '/verify');
  await chooseFile(page, Buffer.from(bakeCredential(other, credential)), 'badge.png');
  await verdict(page, 'Valid').waitFor();
  // The service has the signed one.
  await page.getByRole('img', { name: HEADLINE }).waitFor();

  const issuer = await startIssuer();
  const guest = String(issuer.files['/credential.json']?.content);
  const guestPage = await openFor(issuer.origin);
  await chooseFile(guestPage, Buffer.from(bakeCredential(other, guest)), 'badge.png');
  await guestPage.getByText('The picture in the file is not the one that was signed').waitFor();
  expect(await guestPage.getByRole('img', { name: 'Guest' }).count()).toBe(0);
  await guestPage
    .getByRole('button', { name: `Load the picture from ${new URL(issuer.origin).host}` })
    .click();
  await guestPage.getByRole('img', { name: 'Guest' }).waitFor();
});

browserTest(
  'a link leads to the credential: of a file, of a badge page, or in the URL of this page',
  async () => {
    const { tokenId, owner, path } = await giveBadge();
    const page = await openPage(site, '/verify');
    const field = page.getByRole('textbox', { name: 'Or a link' });
    for (const link of [
      `${site.url}${path}.json`,
      `${site.url}${path}.png`,
      `${site.url}/token/${tokenId}?owner=${owner}`,
    ]) {
      await field.fill(link);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await verdict(page, 'Valid').waitFor();
      await page.reload();
    }
    await field.fill('badge.example/token/7');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('Enter a link that begins with https://.').waitFor();
    await expectNoAxeViolations(page);

    await page.goto(`/token/${tokenId}?owner=${owner}`);
    await page.getByRole('link', { name: 'Check it' }).click();
    await verdict(page, 'Valid').waitFor();
    expect(new URL(page.url()).pathname).toBe('/verify');
  },
);

browserTest('one changed letter is found, and then nothing of the content is shown', async () => {
  const { path } = await giveBadge();
  const credential = (await readFile(`${path}.json`)).toString();
  const page = await openPage(site, '/verify');
  await chooseFile(page, credential.replace('Speaker', 'Winner'));
  await verdict(page, 'Not genuine').waitFor();
  expect(await page.getByText('Winner').count()).toBe(0);
  expect(await page.getByText('Builders of Lisbon').count()).toBe(0);
  await expectAccessible(page);
  await takeScreenshots(page, 'verify-changed');
  await chooseFile(page, JSON.stringify({ ...JSON.parse(credential), unsigned: 'Winner' }));
  await page.getByText('It contains something that nobody has signed.').waitFor();
});

browserTest('a badge that was revoked, moved or given back is revoked', async () => {
  const { tokenId, owner, path } = await giveBadge();
  const credential = await readFile(`${path}.json`);
  const page = await openPage(site, '/verify');
  await chooseFile(page, credential);
  await verdict(page, 'Valid').waitFor();
  await (await site.operator.revoke({ tokenId, address: owner, reason: 'a test' })).wait();
  await page.reload();
  await chooseFile(page, credential);
  await verdict(page, 'Revoked').waitFor();
  await page.getByText('Confirmed: ').waitFor();
  await expectAccessible(page);
  await takeScreenshots(page, 'verify-revoked');
});

browserTest.for([
  [
    'a text',
    'no JSON',
    'Not a credential',
    'The file is neither a credential nor a picture with a credential.',
  ],
  ['other JSON', '{"a":1}', 'Not a credential', 'The file contains something else.'],
  [
    'a JWT',
    ['{"alg":"EdDSA"}', '{"vc":{}}', 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.'),
    'It cannot be checked here',
    'It is signed as a JWT.',
  ],
] as const)('%s is not a credential, and the page says so', async ([, content, title, text]) => {
  const page = await openPage(site, '/verify');
  await chooseFile(page, content);
  await verdict(page, title).waitFor();
  await page.getByText(text).waitFor();
  await expectNoAxeViolations(page);
});

browserTest('a picture without a credential says where to get one', async () => {
  const page = await openPage(site, '/verify');
  await chooseFile(page, await readFile('/images/logo.png'), 'logo.png');
  await page.getByText('There is no credential in this picture.').waitFor();
});

browserTest('without the service and without a network, the page still checks files', async () => {
  const own = await startSite();
  try {
    const { path } = await giveBadge(own);
    const credential = await readFile(`${path}.json`, own);
    const changed = credential.toString().replace('Speaker', 'Winner');
    const did = (JSON.parse(credential.toString()) as { issuer: { id: string } }).issuer.id;
    const page = await openPage(own, '/verify');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await loadLanguages(page);
    await own.stop();
    await page.context().setOffline(true);

    await chooseFile(page, credential);
    await verdict(page, 'Signed and unchanged. Whether it was revoked is unknown').waitFor();
    await page.getByText("The issuer's list of revoked ones could not be read.").waitFor();
    await page.getByText('Not confirmed. Anybody can make a key and give it any name.').waitFor();
    await page.getByText('The keys of this service could not be read.').waitFor();
    await page.getByText('The picture could not be read from').waitFor();
    await expectNoAxeViolations(page);
    await takeScreenshots(page, 'verify-offline');

    // Somebody who knows the key needs no service.
    await page.getByText('Compare with a key that you know').click();
    const field = page.getByRole('textbox', { name: "The issuer's key" });
    const compare = page.getByRole('button', { name: 'Compare' });
    await field.fill('did:key:zzz');
    await compare.click();
    await page.getByText('This is not a key.').waitFor();
    await field.fill(newIssuer().did);
    await compare.click();
    await page.getByText('This is another key.').waitFor();
    await field.fill(` ${did} `);
    await compare.click();
    await page.getByText('Confirmed: this is the key that you entered.').waitFor();

    await chooseFile(page, changed);
    await verdict(page, 'Not genuine').waitFor();
  } finally {
    await own.remove();
  }
});

/** An issuer that is no service of this project. */
function newIssuer() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const did = toDidKey(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
  return { did, sign: (bytes: Uint8Array) => sign(null, bytes, privateKey) };
}

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP438AAAAQBAYDFKhhdAAAAAElFTkSuQmCC',
  'base64',
);

/**
 * Starts a site of another issuer with a credential at `/credential.json`. Its name claims to be somebody
 * else.
 */
async function startIssuer({
  revoked = false,
  isReadable = true,
  identities = [],
}: {
  revoked?: boolean;
  isReadable?: boolean;
  identities?: Badge['identities'];
} = {}) {
  const issuer = newIssuer();
  const files: Record<string, OtherFile> = {};
  const other = await startOtherSite(files);
  const headers: Record<string, string> = isReadable ? { 'Access-Control-Allow-Origin': '*' } : {};
  const time = '2026-01-02T03:04:05Z';
  const listUrl = `${other.origin}/status/1`;
  const badge: Badge = {
    id: 'urn:uuid:ca98bd9f-bec4-41be-8375-bc1ca12176fd',
    validFrom: time,
    created: time,
    validUntil: null,
    issuer: { did: issuer.did, name: 'Builders of Lisbon', pictureUrl: null },
    subjectId: 'did:pkh:eip155:137:0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
    identities,
    startDate: null,
    endDate: null,
    achievement: {
      id: `${other.origin}/v1/tokens/7`,
      name: 'Guest',
      description: '',
      narrative: 'Came by.',
      picture: {
        url: `${other.origin}/picture.png`,
        mediaType: 'image/png',
        digest: createHash('sha256').update(PICTURE).digest('base64'),
      },
    },
    results: [],
    status: { listUrl, index: 7 },
  };
  const list = {
    url: listUrl,
    did: issuer.did,
    validFrom: time,
    created: time,
    revokedIndexes: revoked ? [7] : [],
  };
  const json = (content: unknown): OtherFile => ({
    content: typeof content === 'string' ? content : JSON.stringify(content),
    type: 'application/json',
    headers,
  });
  Object.assign(files, {
    '/credential.json': json(await signBadge(badge, issuer.sign)),
    '/status/1': json(await signStatusList(list, issuer.sign)),
    '/picture.png': { content: PICTURE, type: 'image/png', headers },
    // What a service of this kind says of the token and of its community.
    '/v1/tokens/7': json({ tokenId: 7, communityId: 'guests' }),
    '/v1/communities/guests': json({ uniqId: 'guests', name: 'The Guest House' }),
    '/v1/communities/guests/issuerKeys?limit=1000': json({
      data: [{ did: issuer.did, createdAtTimestamp: 1, isCurrent: true }],
      limit: 1000,
      offset: 0,
      hasMore: false,
    }),
  });
  return { ...other, issuer, files };
}

const openFor = (origin: string, options: PageOptions = {}) =>
  openPage(site, '/verify', { otherOrigins: [origin], ...options });

async function checkLink(page: Page, link: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Or a link' }).fill(link);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
}

browserTest(
  'a credential of another issuer is accepted, but who it is is not confirmed by its name',
  async () => {
    const other = await startIssuer();
    const page = await openFor(other.origin);
    const { host } = new URL(other.origin);
    await checkLink(page, `${other.origin}/credential.json`);
    await verdict(page, 'Signed and not revoked, but it is not confirmed who signed it').waitFor();
    await page.getByText('It says: Builders of Lisbon').waitFor();
    await page.getByText('Not confirmed. Anybody can make a key and give it any name.').waitFor();
    // Nobody else learns that somebody looks at this badge.
    expect(other.requested).toEqual(['/credential.json', '/status/1']);
    await expectAccessible(page);
    await takeScreenshots(page, 'verify-unconfirmed');

    await page.getByRole('button', { name: `Load the picture from ${host}` }).click();
    await page.getByRole('img', { name: 'Guest' }).waitFor();

    // The person trusts the other service, which gives the real name.
    await page.getByRole('button', { name: `Ask ${host}` }).click();
    await page.getByText(`Confirmed: ${host} signs with this key for The Guest House.`).waitFor();
    await verdict(page, 'Valid').waitFor();
  },
);

browserTest('a credential can say who it is for, and an address is compared without sending it', async () => {
  const salt = 'f0258a9d39b54781';
  const other = await startIssuer({
    identities: [
      { type: 'name', name: '<b>Ada</b> \u202eLovelace' },
      { type: 'emailAddress', hash: hashIdentity('ada@example.org', salt), salt },
    ],
  });
  const page = await openFor(other.origin);
  await checkLink(page, `${other.origin}/credential.json`);
  const who = page.locator('section').filter({ has: page.getByRole('heading', { name: 'For whom' }) });
  // As text, within its direction.
  await who.locator('bdi', { hasText: '<b>Ada</b> \u202eLovelace' }).waitFor();
  await who.getByText('the person may have typed it').waitFor();
  await who.getByText('It is for the owner of an e-mail address.').waitFor();
  const requested = [...other.requested];
  const field = who.getByRole('textbox', { name: 'Compare an e-mail address' });
  const compare = who.getByRole('button', { name: 'Compare' });
  await compare.click();
  await who.getByText('Type what you want to compare.').waitFor();
  await field.fill('eve@example.org');
  await compare.click();
  await who.getByText('It is another one.').waitFor();
  await expectAccessible(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await field.fill(' Ada@Example.org ');
  expect(await who.getByText('It is another one.').isVisible()).toBe(false);
  await field.press('Enter');
  await who.getByRole('status').getByText('It is for the owner of this address.').waitFor();
  await expectAccessible(page);
  expect(requests).toEqual([]);
  expect(other.requested).toEqual(requested);
  await takeScreenshots(page, 'verify-identity');

  // What was not signed is not shown, and neither is who it would be for.
  const file = String(other.files['/credential.json']?.content);
  await chooseFile(page, file.replace('Lovelace', 'Byron'));
  await verdict(page, 'Not genuine').waitFor();
  expect(await page.getByText('Byron').count()).toBe(0);
  expect(await field.count()).toBe(0);
});

browserTest('a service that does not list the key does not confirm it', async () => {
  const other = await startIssuer();
  other.files['/v1/communities/guests/issuerKeys?limit=1000'] = {
    content: JSON.stringify({
      data: [{ did: newIssuer().did, createdAtTimestamp: 1, isCurrent: true }],
      limit: 1000,
      offset: 0,
      hasMore: false,
    }),
    type: 'application/json',
    headers: { 'Access-Control-Allow-Origin': '*' },
  };
  const page = await openFor(other.origin);
  const { host } = new URL(other.origin);
  await checkLink(page, `${other.origin}/credential.json`);
  await page.getByRole('button', { name: `Ask ${host}` }).click();
  await page.getByText(`${host} does not list this key, so the badge is not from there.`).waitFor();
  await page.getByText('Not confirmed.').waitFor();
});

browserTest('the status list of another issuer counts', async () => {
  const other = await startIssuer({ revoked: true });
  const page = await openFor(other.origin);
  await checkLink(page, `${other.origin}/credential.json`);
  await verdict(page, 'Revoked').waitFor();
});

browserTest('a site that does not let other pages read its files is named', async () => {
  const other = await startIssuer({ isReadable: false });
  const page = await openFor(other.origin, { expectedError: /blocked by CORS policy/ });
  await checkLink(page, `${other.origin}/credential.json`);
  await page.getByText(`Nothing could be read from ${new URL(other.origin).host}.`).waitFor();
  await expectNoAxeViolations(page);
  // Its link in the URL of this page is not opened without the person.
  const count = other.requested.length;
  await page.goto(`/verify?url=${encodeURIComponent(`${other.origin}/credential.json`)}`);
  await page.getByRole('textbox', { name: 'Or a link' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(other.requested).toHaveLength(count);
  expect(await page.getByRole('textbox', { name: 'Or a link' }).inputValue()).toContain('/credential.json');
});

browserTest('only this page may read other sites: a link from it or to it loads the page', async () => {
  const page = await openPage(site, START_PATH);
  const response = await page.goto('/verify');
  expect(response?.headers()['content-security-policy']).toContain("connect-src 'self' https: http:");
  const mark = () => page.evaluate(() => Object.assign(window, { isMarked: true }));
  const isMarked = () => page.evaluate(() => 'isMarked' in window);
  await mark();
  await page.getByRole('link', { name: 'Badge', exact: true }).click();
  await page.waitForURL(`${site.url}/`);
  expect(await isMarked()).toBe(false);
  // Between the other pages, links change only the content.
  await mark();
  await page
    .getByRole('link', { name: /all badges/i })
    .first()
    .click();
  await page.waitForURL(`${site.url}/badges`);
  expect(await isMarked()).toBe(true);
});

browserTest('a presentation is opened, and a credential of another kind is named', async () => {
  const { path } = await giveBadge();
  const credential = (await readFile(`${path}.json`)).toString();
  const page = await openPage(site, '/verify');
  const present = (...presented: unknown[]) =>
    JSON.stringify({ type: ['VerifiablePresentation'], verifiableCredential: presented });
  await chooseFile(page, present(JSON.parse(credential)));
  await verdict(page, 'Valid').waitFor();
  await page.getByText('The file is a presentation of this credential.').waitFor();
  await page.getByText(`Confirmed: ${new URL(site.url).host} signs with this key`).waitFor();

  const jwt = `${Buffer.from('{"alg":"EdDSA"}').toString('base64url')}.e30.c2ln`;
  await chooseFile(page, present(JSON.parse(credential), jwt));
  await page.getByText('This is the result for number 1 of 2.').waitFor();
  await page.getByRole('button', { name: 'Credential 2' }).click();
  await verdict(page, 'It cannot be checked here').waitFor();
  await page.getByText('It is signed as a JWT.').waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
  expect(await page.getByRole('button', { name: 'Credential 2', pressed: true }).count()).toBe(1);
  await expectAccessible(page);
  await takeScreenshots(page, 'verify-presentation');

  await chooseFile(page, credential.replaceAll(/did:key:[a-zA-Z0-9]+/g, 'did:web:example.org'));
  await page.getByText('Its issuer is named by did:web.').waitFor();
  await chooseFile(page, JSON.stringify({ '@context': 'https://w3id.org/openbadges/v2', type: 'Assertion' }));
  await page.getByText('It is a badge of Open Badges 2.0').waitFor();
});
