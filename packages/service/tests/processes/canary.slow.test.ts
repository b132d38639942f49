import { hkdfSync, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CreatedApiKey,
  type CreatedClaimLinks,
  type CreatedInvitations,
  type CreatedSession,
  type EmailChallenge,
  type Operation,
  type Owner,
  type Session,
  type SignInChallenge,
  toBadgeMessage,
  type WebhookDelivery,
  type WebhookWithSecret,
} from '@badge/protocol';
import { type BadgeService, MAIN } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import {
  embeddedDatabaseUrl,
  makeDataDir,
  spawnTestBadge,
  startTestBadge,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { newWallet, signedToken, signTokenId, signTypedData } from '@badge/test-support/signing';
import { dumpTables, query } from '@badge/test-support/sql';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  canary,
  findSecrets,
  makeClientSecrets,
  readCommandLines,
  readFiles,
  readWhole,
  type Written,
} from '../../src/testing/canaries.ts';
import { managedToken } from '../../src/testing/managed-token.ts';
import { sendError, startRpcProxy } from '../../src/testing/rpc-proxy.ts';
import { sendSecrets } from '../../src/testing/send-secrets.ts';
import { startReceiver } from '../../src/testing/webhook-receiver.ts';

// These tests use unique secrets (canaries), and search for them in everything that the service writes.

const CONTRACT = '0x2000000000000000000000000000000000000002';
const headersWithKey = (key: string) => ({
  'Content-Type': 'application/json',
  Authorization: `Bearer ${key}`,
});

async function post({ url }: Pick<BadgeService, 'url'>, path: string, key: string, body: object) {
  return await fetch(url + path, {
    method: 'POST',
    headers: headersWithKey(key),
    body: JSON.stringify(body),
  });
}

async function waitUntilFinal({ url }: Pick<BadgeService, 'url'>, response: Response): Promise<Operation> {
  const read = await fetch(`${url}${response.headers.get('location')}?wait=30`);
  return (await read.json()) as Operation;
}

test('a sandbox with the embedded database writes secrets only to its key files and the banner', async () => {
  const dataDir = await makeDataDir();
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir, LOG_LEVEL: 'trace' });
  const keyFiles = ['admin-key', 'demo-api-key'];
  const seed = await readFile(join(dataDir, 'creator-seed'));
  expect((await stat(join(dataDir, 'creator-seed'))).mode & 0o777).toBe(0o600);
  const issuerSeed = await readFile(join(dataDir, 'issuer-seed'));
  expect((await stat(join(dataDir, 'issuer-seed'))).mode & 0o777).toBe(0o600);
  const holderSeed = await readFile(join(dataDir, 'holder-seed'));
  expect((await stat(join(dataDir, 'holder-seed'))).mode & 0o777).toBe(0o600);
  const issuerKey = Buffer.from(hkdfSync('sha256', issuerSeed, '', 'badge/issuer-key/1/demo/1', 32));
  const keptAddressKey = Buffer.from(hkdfSync('sha256', holderSeed, '', 'badge/kept-address/1', 32));
  const encryptionKey = await readFile(join(dataDir, 'encryption-key'));
  expect((await stat(join(dataDir, 'encryption-key'))).mode & 0o777).toBe(0o600);
  const managedKey = Buffer.from(hkdfSync('sha256', seed, '', 'badge/managed-creator/1/demo/0', 32));
  const [adminKey = '', demoKey = ''] = await Promise.all(
    keyFiles.map(async (name) => (await readFile(join(dataDir, name), 'utf8')).trim()),
  );
  for (const name of keyFiles) expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);

  const created = await post(service, '/v1/communities/demo/apiKeys', adminKey, { name: 'canary' });
  const { apiKey } = (await created.json()) as CreatedApiKey;
  const [creator, claimer] = [newWallet(), newWallet()];
  const clientSecrets = makeClientSecrets();
  const keys = { 'the admin key': adminKey, 'the demo key': demoKey, 'a created key': apiKey };
  const secrets = {
    ...keys,
    ...clientSecrets,
    'a private key': creator.privateKey.slice(2),
    'the seed': seed,
    'the encryption key': encryptionKey,
    'a managed key': managedKey,
    'the seed of the issuers': issuerSeed,
    'an issuer key': issuerKey,
    'the seed of kept badges': holderSeed,
    'the key of kept addresses': keptAddressKey,
  };
  const email = `${canary('person')}@example.org`;
  // What a community says about people: it is stored encrypted only.
  const said = { name: canary('name'), email: `${canary('said')}@example.org`, note: canary('note') };
  const later = { name: canary('name'), email: `${canary('said')}@example.org`, note: canary('note') };
  const signingIn = `${canary('sign-in')}@example.org`;
  const returnPath = `/wallet/0x${randomBytes(20).toString('hex')}`;
  const personal = {
    'a name': said.name,
    'an e-mail of a person': said.email,
    'a note': said.note,
    'a later name': later.name,
    'a later e-mail': later.email,
    'a later note': later.note,
    'an e-mail that signs in': signingIn,
    'the page from which somebody signs in': returnPath,
  };
  const allowlisted = {
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: [email, { contributor: 'an identifier', ...said }],
  };

  // First, requests that are accepted.
  const openToken = await signedToken({}, creator);
  const { resourceId } = await waitUntilFinal(service, await post(service, '/v1/tokens', apiKey, openToken));
  const signature = await signTokenId(claimer, 'Claim', resourceId ?? 0);
  const claim = { claimingAddress: claimer.address, signature };
  await waitUntilFinal(service, await post(service, `/v1/tokens/${resourceId}/claim`, apiKey, claim));
  const credential = await fetch(`${service.url}/v1/tokens/${resourceId}/credentials/${claimer.address}`);
  expect(credential.status).toBe(200);
  // Whoever has a badge types a name for their credential: it is in the response only.
  const typed = { 'a typed name': canary('typed'), 'a refused typed name': canary('refused') };
  const challenge = { address: claimer.address };
  const asked = await post(service, '/v1/sessions/challenge', apiKey, challenge);
  const { message } = (await asked.json()) as SignInChallenge;
  const signInBody = { message, signature: await claimer.signMessage({ message }) };
  const signedIn = await post(service, '/v1/sessions', apiKey, signInBody);
  const { sessionToken } = (await signedIn.json()) as CreatedSession;
  const readNamed = (name: string, key: string) =>
    fetch(`${credential.url}?with=identity&name=${encodeURIComponent(name)}`, {
      headers: headersWithKey(key),
    });
  const identified = await readNamed(typed['a typed name'], sessionToken);
  expect(identified.status).toBe(200);
  expect(await identified.text()).toContain(typed['a typed name']);
  const refusedTyped: Written = {};
  for (const [name, key, status] of [
    [typed['a typed name'], apiKey, 403],
    [`${typed['a refused typed name']}\n`, sessionToken, 400],
  ] as const) {
    const refused = await readNamed(name, key);
    expect(refused.status).toBe(status);
    refusedTyped[`a credential, ${status}`] = await readWhole(refused);
  }
  // Somebody signs in with an e-mail, whose code is in the mail only.
  const challengeBody = { email: signingIn, returnPath };
  const challenged = await post(service, '/v1/sessions/emailChallenge', apiKey, challengeBody);
  const { challengeId } = (await challenged.json()) as EmailChallenge;
  const signInCode = await vi.waitFor(async () => {
    const kept = Object.values(await readFiles(join(dataDir, 'mails'))).join('');
    const [, code] = /\n([0-9A-Z]{4}-[0-9A-Z]{4})\r?\n/.exec(kept) ?? [];
    if (code === undefined) throw new Error('no mail with a code');
    return code;
  }, WAIT_OPTIONS);
  const refusedSignIns: Written = {};
  let personKey = '';
  for (const [body, status] of [
    [{ challengeId, code: '0000-0000' }, 403],
    [{ challengeId, code: signInCode, message: signInCode }, 400],
    [{ challengeId: signInCode, code: signInCode }, 400],
    [{ challengeId, code: signInCode }, 201],
    [{ challengeId, code: signInCode }, 403],
  ] as const) {
    const response = await post(service, '/v1/sessions', apiKey, body);
    expect(response.status).toBe(status);
    if (status !== 201)
      refusedSignIns[`signing in, ${JSON.stringify(body).length}`] = await readWhole(response);
    else personKey = ((await response.json()) as CreatedSession).sessionToken;
  }
  // This person claims, and nobody but the community and the person learns who it is.
  const claimPath = `/v1/tokens/${resourceId}/claim`;
  const keptClaim = await waitUntilFinal(service, await post(service, claimPath, personKey, {}));
  expect(keptClaim.status).toBe('success');
  const secondClaim = await post(service, claimPath, personKey, {});
  expect(secondClaim.status).toBe(409);
  const owners = await fetch(`${service.url}/v1/tokens/${resourceId}/owners`);
  const keptOwner = ((await owners.clone().json()) as { data: Owner[] }).data.find(({ isKept }) => isKept);
  const publicReads = {
    'a second claim': await readWhole(secondClaim),
    'the owners': await readWhole(owners),
    ...Object.fromEntries(
      await Promise.all(
        [
          `/v1/tokens/${resourceId}/owners/${keptOwner?.address}`,
          `/v1/tokens/${resourceId}/credentials/${keptOwner?.address}`,
          `/v1/wallets/${keptOwner?.address}/tokens`,
          `/embed/token/${resourceId}?owner=${keptOwner?.address}`,
        ].map(async (path) => [path, await readWhole(await fetch(service.url + path))] as const),
      ),
    ),
    'the events': await readWhole(
      await fetch(`${service.url}/v1/communities/demo/events`, { headers: headersWithKey(apiKey) }),
    ),
    'the audit log': await readWhole(
      await fetch(`${service.url}/v1/auditLog`, { headers: headersWithKey(adminKey) }),
    ),
  };
  // The person hides the badge, refuses the community, moves the badge to a wallet, and burns another one.
  const decide = (method: string, path: string) =>
    fetch(`${service.url}/v1/sessions/current/${path}`, {
      method,
      headers: { Authorization: `Bearer ${personKey}` },
    });
  const wallet = newWallet();
  const signMove = async () => {
    const { emailHash, moveNonce } = (await (await decide('GET', '')).json()) as Session;
    const signature = await signTypedData(wallet, 'ReceiveBadges', { emailHash, nonce: moveNonce });
    return { toAddress: wallet.address, signature };
  };
  const move = (body: object) => post(service, '/v1/sessions/current/moveBadges', personKey, body);
  const decisions: Written = {};
  async function recordDecision(name: string, status: number, response: Response): Promise<void> {
    expect(response.status, name).toBe(status);
    decisions[name] = await readWhole(response);
  }
  await recordDecision('hiding', 204, await decide('PUT', `hiddenTokens/${resourceId}`));
  await recordDecision('hiding what is not there', 404, await decide('PUT', 'hiddenTokens/999'));
  await recordDecision('refusing', 204, await decide('PUT', 'refusedCommunities/demo'));
  await recordDecision('refusing nobody', 404, await decide('PUT', 'refusedCommunities/unknown'));
  await recordDecision('what is refused', 200, await decide('GET', 'refusedCommunities'));
  const [burned, keptLater] = await Promise.all(
    ['Burned', 'Kept later'].map(async (headline) => {
      const body = await signedToken({ headline }, creator);
      return (await waitUntilFinal(service, await post(service, '/v1/tokens', apiKey, body))).resourceId;
    }),
  );
  const gift = { claimingAddress: keptOwner?.address };
  await recordDecision('a gift', 409, await post(service, `/v1/tokens/${burned}/claim`, apiKey, gift));
  const signedMove = await signMove();
  const forgedMove = { ...signedMove, toAddress: claimer.address };
  await recordDecision('a forged move', 403, await move(forgedMove));
  const moved = await waitUntilFinal(service, await move(signedMove));
  expect(moved).toMatchObject({ operationType: 'moveBadges', status: 'success', warnings: [] });
  decisions['a move'] = JSON.stringify(moved);
  await recordDecision('a second move', 403, await move(signedMove));
  for (const [tokenId, call] of [
    [burned, 'claim'],
    [burned, 'burn'],
    [keptLater, 'claim'],
  ] as const) {
    const done = await waitUntilFinal(
      service,
      await post(service, `/v1/tokens/${tokenId}/${call}`, personKey, {}),
    );
    expect(done.status).toBe('success');
    decisions[`${call} of ${tokenId}`] = JSON.stringify(done);
  }
  await recordDecision('burning', 409, await post(service, `/v1/tokens/${burned}/burn`, personKey, {}));
  for (const [path, key] of [
    [`/v1/tokens/${resourceId}/owners?status=all`, apiKey],
    [`/v1/wallets/${wallet.address}/tokens`, apiKey],
    ['/v1/communities/demo/events?limit=1000', apiKey],
    ['/v1/auditLog?limit=1000', adminKey],
  ] as const) {
    const read = await fetch(service.url + path, { headers: headersWithKey(key) });
    await recordDecision(`then ${path}`, 200, read);
  }
  const createdLinks = await post(service, `/v1/tokens/${resourceId}/claimLinks`, apiKey, { count: 2 });
  const { items } = (await createdLinks.json()) as CreatedClaimLinks;
  const [usedCode = '', unusedCode = ''] = items.map(({ code }) => code);
  const claimWithCode = { claimingAddress: newWallet().address, claimCode: usedCode };
  await waitUntilFinal(service, await post(service, `/v1/tokens/${resourceId}/claim`, apiKey, claimWithCode));
  const invited = { name: canary('invited-name'), email: `${canary('invited')}@example.org` };
  const invitations = `/v1/tokens/${resourceId}/invitations`;
  const invitation = await post(service, invitations, apiKey, { recipients: [invited] });
  const { items: invitedPeople } = (await invitation.json()) as CreatedInvitations;
  const mailUrl = `${service.url}${invitations}/${invitedPeople[0]?.invitationId}/mail`;
  await vi.waitFor(async () => {
    expect((await fetch(mailUrl, { headers: headersWithKey(apiKey) })).status).toBe(200);
  }, WAIT_OPTIONS);
  const person = { 'the name of an invited person': invited.name, 'their e-mail': invited.email };
  const codes: Record<string, string | Buffer> = {
    'a used claim code': usedCode,
    'an unused claim code': unusedCode,
    'a session by e-mail': personKey,
  };
  const { resourceId: listedId } = await waitUntilFinal(
    service,
    await post(service, '/v1/tokens', apiKey, await signedToken(allowlisted)),
  );
  const people = `${service.url}/v1/tokens/${listedId}/recipients`;
  const named = await fetch(people, {
    method: 'PUT',
    headers: headersWithKey(apiKey),
    body: JSON.stringify({ items: [{ contributor: 'an identifier', ...later }] }),
  });
  expect(named.status).toBe(200);
  const found = await fetch(`${people}?search=${later.name}`, { headers: headersWithKey(apiKey) });
  expect(await found.json()).toMatchObject({ total: 1, data: [later] });
  const unknownPerson = await fetch(people, {
    method: 'PUT',
    headers: headersWithKey(apiKey),
    body: JSON.stringify({ items: [{ contributor: 'nobody', ...said }] }),
  });
  expect(unknownPerson.status).toBe(400);
  const refusedName = await readWhole(unknownPerson);

  // A receiver of events sends back everything that it gets.
  const [urlPath, urlToken] = [canary('path'), canary('token')];
  const receiver = await startReceiver((response, { headers, body }) => {
    const signatures = JSON.stringify(headers['webhook-signature']);
    response
      .writeHead(500)
      .end(`${signatures} POST /events/${urlPath}?token=${urlToken} ${urlToken} ${body}`);
  });
  const webhooks = '/v1/communities/demo/webhooks';
  const webhook = { name: 'canary', url: `${receiver.url}/${urlPath}?token=${urlToken}` };
  const createdWebhook = await post(service, webhooks, adminKey, webhook);
  const { webhookId, secret } = (await createdWebhook.json()) as WebhookWithSecret;
  const rotatedWebhook = await post(service, `${webhooks}/${webhookId}/rotateSecret`, adminKey, {});
  const { secret: newSecret } = (await rotatedWebhook.json()) as WebhookWithSecret;
  expect((await post(service, `${webhooks}/${webhookId}/test`, adminKey, {})).status).toBe(201);
  const [received] = await receiver.waitFor(1);
  const [firstSignature = '', secondSignature = ''] = String(received?.headers['webhook-signature'])
    .split(' ')
    .map((signature) => signature.slice('v1,'.length));
  Object.assign(codes, {
    'the secret of a webhook': secret,
    'its bytes': Buffer.from(secret.slice('whsec_'.length), 'base64'),
    'its new secret': newSecret,
    'the bytes of this': Buffer.from(newSecret.slice('whsec_'.length), 'base64'),
    'a signature of a webhook': firstSignature,
    'another one': secondSignature,
  });
  const listDeliveries = () =>
    fetch(`${service.url}${webhooks}/${webhookId}/deliveries`, { headers: headersWithKey(adminKey) });
  await vi.waitFor(async () => {
    const { data } = (await (await listDeliveries()).json()) as { data: WebhookDelivery[] };
    expect(data[0]?.attempts[0]?.error).toMatch(/^"v1,… v1,…" POST … … \{"eventId"/);
  }, WAIT_OPTIONS);

  const forbiddenInLogs = {
    ...secrets,
    ...codes,
    ...person,
    ...personal,
    ...typed,
    'an e-mail': email,
    'a signature': signature.slice(2),
    'the signature of a move': signedMove.signature.slice(2),
  };

  // The managed creator signs, and refuses to sign.
  const demoPath = '/v1/communities/demo';
  const patched = await fetch(service.url + demoPath, {
    method: 'PATCH',
    headers: headersWithKey(adminKey),
    body: JSON.stringify({ hasManagedCreator: true }),
  });
  expect(patched.status).toBe(200);
  const managed: Written = {};
  for (const [communityUniqId, status] of [
    ['demo', 200],
    ['other', 400],
  ] as const) {
    const message = toBadgeMessage({ ...managedToken('demo'), communityId: communityUniqId });
    const body = { primaryType: 'Badge', message };
    const signed = await post(service, `${demoPath}/managedCreator/sign`, apiKey, body);
    expect(signed.status).toBe(status);
    managed[`signing for ${communityUniqId}`] = await readWhole(signed);
  }

  // Then, requests with a secret in each of their parts.
  const responses: Written = {
    ...managed,
    ...refusedTyped,
    ...refusedSignIns,
    ...publicReads,
    'a refused name': refusedName,
    'the webhooks': await readWhole(
      await fetch(service.url + webhooks, { headers: headersWithKey(adminKey) }),
    ),
    'the deliveries': await readWhole(await listDeliveries()),
    ...(await sendSecrets(service, [apiKey, adminKey, demoKey], clientSecrets)),
  };

  // Then, operations and requests that fail because the database rejects an insert. PostgreSQL logs such an
  // error.
  const databaseUrl = embeddedDatabaseUrl(dataDir);
  const sqlToRejectInserts = (table: string) =>
    `alter table ${table} add constraint reject_inserts check (false) not valid`;
  const sqlToAllowInserts = (table: string) => `alter table ${table} drop constraint reject_inserts`;
  await query(databaseUrl, sqlToRejectInserts('allowlist_entries'));
  const failedOperation = await waitUntilFinal(
    service,
    await post(service, '/v1/tokens', apiKey, await signedToken(allowlisted)),
  );
  expect(failedOperation.status).toBe('error');
  await query(databaseUrl, sqlToAllowInserts('allowlist_entries'));
  await query(databaseUrl, sqlToRejectInserts('audit_log'));
  const signing = { primaryType: 'Badge', message: toBadgeMessage(managedToken('demo')) };
  const failedSigning = await post(service, `${demoPath}/managedCreator/sign`, apiKey, signing);
  expect(failedSigning.status).toBe(500);
  const unrecordedMove = await signMove();
  expect((await waitUntilFinal(service, await move(unrecordedMove))).status).toBe('error');
  await query(databaseUrl, sqlToAllowInserts('audit_log'));
  for (const [table, path] of [
    ['hidden_tokens', `hiddenTokens/${keptLater}`],
    ['refused_communities', 'refusedCommunities/demo'],
  ] as const) {
    await query(databaseUrl, sqlToRejectInserts(table));
    await recordDecision(`without ${table}`, 500, await decide('PUT', path));
    await query(databaseUrl, sqlToAllowInserts(table));
  }
  // Another address than that of the seed.
  await query(databaseUrl, 'update communities set managed_creator = $1', [Buffer.alloc(20)]);
  const refusedSigning = await post(service, `${demoPath}/managedCreator/sign`, apiKey, signing);
  expect(refusedSigning.status).toBe(409);
  await query(databaseUrl, sqlToRejectInserts('operations'));
  const failedCreation = await post(service, '/v1/tokens', apiKey, await signedToken(allowlisted));
  expect(failedCreation.status).toBe(500);
  const claimWithUnusedCode = { claimingAddress: newWallet().address, claimCode: unusedCode };
  const failedClaimWithCode = await post(
    service,
    `/v1/tokens/${resourceId}/claim`,
    apiKey,
    claimWithUnusedCode,
  );
  expect(failedClaimWithCode.status).toBe(500);
  const claimWithoutSignature = { ...claim, claimingAddress: creator.address, signature: undefined };
  const failedClaim = await post(service, `/v1/tokens/${resourceId}/claim`, apiKey, claimWithoutSignature);
  expect(failedClaim.status).toBe(500);
  await recordDecision('without operations', 500, await move(unrecordedMove));
  await query(databaseUrl, sqlToAllowInserts('operations'));
  // The worker writes who has claimed.
  const other = await waitUntilFinal(service, await post(service, '/v1/tokens', apiKey, await signedToken()));
  await query(databaseUrl, sqlToRejectInserts('recipients'));
  const otherClaim = await post(service, `/v1/tokens/${other.resourceId}/claim`, personKey, {});
  expect((await waitUntilFinal(service, otherClaim)).status).toBe('error');
  await query(databaseUrl, sqlToAllowInserts('recipients'));
  const failures = { failedCreation, failedClaim, failedClaimWithCode, failedSigning, refusedSigning };
  for (const [name, response] of Object.entries(failures)) responses[name] = await readWhole(response);
  Object.assign(responses, decisions);

  // People come with a file, and leave with another one.
  const rows = [
    'badgeId,headline,address,email,name,note',
    `1,Speaker,${newWallet().address},${said.email},${said.name},${said.note}`,
    `1,Speaker,0x12,${said.email},${said.name},${said.note}`,
    `1,Speaker,${newWallet().address},${said.email}@,${said.name},${said.note}`,
  ];
  for (const isDryRun of ['true', 'false']) {
    const form = new FormData();
    form.append('format', 'csv');
    form.append('isDryRun', isDryRun);
    form.append('file', new Blob([`${rows.join('\n')}\n`]), `${said.name}.csv`);
    responses[`an import, ${isDryRun}`] = await readTransfer(`${demoPath}/imports`, { body: form });
  }
  for (const people of ['none', 'plain']) {
    const init = {
      body: JSON.stringify({ people }),
      headers: { 'Content-Type': 'application/json' },
    };
    responses[`an export, ${people}`] = await readTransfer(`${demoPath}/exports`, init);
  }
  async function readTransfer(
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body: string | FormData },
  ): Promise<string> {
    const withKey = { ...headers, 'X-API-Key': adminKey };
    const accepted = await fetch(service.url + path, { method: 'POST', headers: withKey, body });
    const { resourceId } = await waitUntilFinal(service, accepted);
    const read = () => fetch(`${service.url}${path}/${resourceId}`, { headers: headersWithKey(adminKey) });
    await vi.waitFor(
      async () => expect(await (await read()).json()).toMatchObject({ status: 'success' }),
      WAIT_OPTIONS,
    );
    return await readWhole(await read());
  }

  // Finally, connections that are lost, and a server that is killed.
  await query(
    databaseUrl,
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()',
  ).catch(() => undefined);
  await service.waitForLog('a database connection or query failed');
  const [postmaster = ''] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(postmaster), 'SIGKILL');
  await service.waitForLog('PostgreSQL restarted');
  await vi.waitFor(async () => expect((await fetch(`${service.url}/readyz`)).status).toBe(200), WAIT_OPTIONS);

  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const tables = await dumpTables(databaseUrl);
  const commandLines = await readCommandLines();
  expect(commandLines).toContain(dataDir);
  expect(await service.end('SIGTERM')).toBe(0);

  const doctor = spawnTestBadge({ BADGE_DATA_DIR: dataDir }, { command: 'doctor' });
  expect(await doctor.closed).toBe(1);
  expect(doctor.output.stdout).toContain('managed creators: the seed gives another address');
  // An archive has no secret, and no person that is readable.
  const archive = join(dataDir, 'archive.tar');
  const exporting = spawnTestBadge({ BADGE_DATA_DIR: dataDir }, { command: 'export', args: [archive] });
  expect(await exporting.closed, exporting.output.stderr).toBe(0);
  const { stdout, stderr } = service.output;
  const { 'postgres.log': databaseLog = '', ...files } = await readFiles(dataDir);
  expect(databaseLog).not.toBe('');
  // The banner on stdout contains the demo key.
  const logs = {
    stdout: stdout.replaceAll(demoKey, ''),
    stderr,
    'postgres.log': databaseLog,
    metrics,
    'stdout of doctor': doctor.output.stdout,
    'stderr of doctor': doctor.output.stderr,
    'stdout of export': exporting.output.stdout,
    'stderr of export': exporting.output.stderr,
  };
  expect(files['archive.tar']).toContain('owners.ndjson');
  expect(
    findSecrets(
      {
        ...keys,
        'the seed': seed,
        'the seed of the issuers': issuerSeed,
        'the seed of kept badges': holderSeed,
        'the encryption key': encryptionKey,
      },
      { stdout, ...files },
    ),
  ).toEqual([
    'the admin key, plain, in admin-key',
    'the demo key, plain, in stdout',
    'the demo key, plain, in demo-api-key',
    'the seed, plain, in creator-seed',
    'the seed of the issuers, plain, in issuer-seed',
    'the seed of kept badges, plain, in holder-seed',
    'the encryption key, plain, in encryption-key',
  ]);
  for (const name of [...keyFiles, 'creator-seed', 'issuer-seed', 'holder-seed', 'encryption-key'])
    delete files[name];
  // Without a mail server, a sandbox keeps the mails in files, where people can read them.
  const mails = Object.keys(files).filter((name) => name.startsWith('mails/'));
  expect(mails.map((name) => files[name]).join('')).toContain(invited.email);
  for (const name of mails) delete files[name];
  const everything = { ...responses, ...files, tables, commandLines };
  expect(findSecrets({ ...secrets, ...codes, ...person, ...personal, ...typed }, everything)).toEqual([]);
  expect(findSecrets(forbiddenInLogs, logs)).toEqual([]);
  // The code is too short for findSecrets: in other encodings, other texts can contain it.
  const withCode = Object.entries({ ...everything, ...logs }).filter(([, content]) =>
    [signInCode, signInCode.replace('-', '')].some((code) => content.includes(code)),
  );
  expect(withCode.map(([place]) => place)).toEqual([]);
  // Owners see the URLs of their webhooks.
  const { 'the webhooks': listedWebhooks = '', ...otherResponses } = responses;
  expect(listedWebhooks).toContain(`${urlPath}?token=${urlToken}`);
  const ofUrl = { 'the path of a URL': urlPath, 'the token in a URL': urlToken };
  const written = { ...otherResponses, ...files, ...logs, tables, commandLines };
  expect(findSecrets(ofUrl, written)).toEqual([]);
});

test('a production service and its worker write no secret when the database becomes unreachable', async () => {
  const clientSecrets = makeClientSecrets();
  const databaseUrl = new URL(await createDatabase('empty'));
  const environment = {
    DATABASE_URL: databaseUrl.href.replace('badge@', `badge:${clientSecrets['a password']}@`),
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: CONTRACT,
    BADGE_ADMIN_KEY: canary('admin-key'),
    BADGE_RATE_LIMIT: 'off',
    LOG_LEVEL: 'trace',
  };
  expect(environment.DATABASE_URL).toContain(clientSecrets['a password']);
  const dataDir = await makeDataDir();
  const api = await startTestBadge({ ...environment, BADGE_ROLE: 'api', BADGE_DATA_DIR: dataDir });
  const worker = await startTestBadge({ ...environment, BADGE_ROLE: 'worker', BADGE_DATA_DIR: dataDir });
  const adminKey = environment.BADGE_ADMIN_KEY;
  const demo = { uniqId: 'demo', displayId: 'demo', name: 'Demo' };
  expect((await post(api, '/v1/communities', adminKey, demo)).status).toBe(201);
  const created = await post(api, '/v1/communities/demo/apiKeys', adminKey, { name: 'canary' });
  const { apiKey } = (await created.json()) as CreatedApiKey;
  const secrets = { ...clientSecrets, 'the admin key': adminKey, 'a created key': apiKey };

  const responses = await sendSecrets(api, [apiKey, adminKey], clientSecrets);
  const commandLines = await readCommandLines();
  expect(commandLines).toContain(MAIN);
  const tables = await dumpTables(databaseUrl.href);
  expect(tables).toContain(apiKey.slice(0, 'badge_production_'.length + 4));

  const databaseName = databaseUrl.pathname.slice(1);
  const maintenanceUrl = new URL(databaseUrl);
  maintenanceUrl.pathname = '/postgres';
  await query(maintenanceUrl.href, `alter database ${databaseName} allow_connections false`);
  await query(
    maintenanceUrl.href,
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
    [databaseName],
  );
  // A token is not a valid body for /v1/communities. The body is validated before the database is used, so
  // the status is 400.
  for (const [path, key, status] of [
    ['/v1/tokens', apiKey, 503],
    ['/v1/communities', adminKey, 400],
  ] as const) {
    const response = await post(api, path, key, await signedToken());
    expect(response.status).toBe(status);
    responses[`without the database: ${path}`] = await readWhole(response);
  }
  await worker.waitForLog('settling failed and is retried');
  for (const { url } of [api, worker]) {
    const metrics = await fetch(`${url}/metrics`, { headers: headersWithKey(adminKey) });
    expect(metrics.status).toBe(200);
    responses[`metrics of ${url}`] = await readWhole(metrics);
  }
  expect([await api.end('SIGTERM'), await worker.end('SIGTERM')]).toEqual([0, 0]);
  await expect(readFiles(dataDir)).rejects.toThrow('ENOENT');
  const logs = {
    api: api.output.stdout + api.output.stderr,
    worker: worker.output.stdout + worker.output.stderr,
  };
  expect(findSecrets(secrets, { ...responses, ...logs, commandLines, tables })).toEqual([]);
});

test('a service writes no key of an endpoint when the endpoints fail, and say what they were asked', async () => {
  const [user, password, path, token] = ['user', 'password', 'path', 'token'].map(canary) as [
    string,
    string,
    string,
    string,
  ];
  const withSecrets = (url: string) => {
    const secret = new URL(url);
    Object.assign(secret, { username: user, password, pathname: `/v2/${path}`, search: `?token=${token}` });
    return secret.href;
  };
  const echoing = await startRpcProxy();
  onTestFinished(() => echoing.stop());
  echoing.misbehave((response, call) => {
    const message = `cannot serve ${withSecrets(echoing.url)}: ${JSON.stringify(call.params)}`;
    sendError(response, call, { code: -32603, message });
  });
  const endpoints = [echoing.url, 'http://127.0.0.1:9/', 'http://unknown.invalid/'].map(withSecrets);
  const environment = {
    BADGE_DATA_DIR: await makeDataDir(),
    BADGE_CHAIN_RPC_URLS: endpoints.map((url) => `80001=${url}`).join(),
    BADGE_ENS_RPC_URL: endpoints.join(),
    LOG_LEVEL: 'trace',
  };
  const service = await startTestBadge(environment);
  const key = (await readFile(join(environment.BADGE_DATA_DIR, 'demo-api-key'), 'utf8')).trim();
  const signature = randomBytes(100).toString('hex');
  const byContract = { ...(await signedToken({})), signature: `0x${signature}` };
  const named = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['canary.eth'] };
  const responses: Written = {};
  for (const body of [byContract, await signedToken(named)]) {
    const response = await post(service, '/v1/tokens', key, body);
    expect(response.status).toBe(503);
    responses[`response ${Object.keys(responses).length}`] = await readWhole(response);
  }
  await service.waitForLog('an endpoint of a chain failed');
  responses.metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(responses.metrics).toContain('badge_chain_reads_total{result="failure"}');
  responses.environment = await (await fetch(`${service.url}/v1/environment`)).text();
  expect(await service.end('SIGTERM')).toBe(0);
  const doctor = spawnTestBadge(environment, { command: 'doctor' });
  await doctor.closed;
  expect(doctor.output.stdout).toContain('endpoint 2 of chain 80001 cannot be used');
  const invalid = spawnTestBadge(
    {
      ...environment,
      BADGE_CHAIN_RPC_URLS: `x=${endpoints[0]}`,
      BADGE_ENS_RPC_URL: `ws${endpoints[0]?.slice(4)}`,
    },
    { command: 'serve' },
  );
  expect(await invalid.closed).toBe(2);
  const written = {
    ...responses,
    ...service.output,
    doctor: JSON.stringify(doctor.output),
    invalid: JSON.stringify(invalid.output),
  };
  expect(findSecrets({ user, password, path, token, signature }, written)).toEqual([]);
});

test.for<[string, (password: string) => Promise<Record<string, string>>]>([
  ['an invalid host', async (password) => ({ DATABASE_URL: `postgres://badge:${password}@[/badge` })],
  ['an invalid port', async (password) => ({ DATABASE_URL: `postgres://badge:${password}@h:p/badge` })],
  ['another scheme', async (password) => ({ DATABASE_URL: `mysql://badge:${password}@localhost/badge` })],
  [
    'an address where nothing listens',
    async (password) => ({ DATABASE_URL: `postgres://badge:${password}@127.0.0.1:1/b` }),
  ],
  [
    'a migration that fails',
    async (password) => {
      const url = await createDatabase('empty');
      await query(url, 'create table communities (other integer)');
      return { DATABASE_URL: url.replace('badge@', `badge:${password}@`) };
    },
  ],
  [
    'a key with a space',
    async (password) => ({ BADGE_ADMIN_KEY: `${password} x`, BADGE_DEMO_API_KEY: 'short' }),
  ],
  ['the same key twice', async (password) => ({ BADGE_ADMIN_KEY: password, BADGE_DEMO_API_KEY: password })],
])('serve and migrate print no secret when they fail because of %s', async ([, configure]) => {
  const password = canary('password');
  const env = await configure(password);
  expect(JSON.stringify(env)).toContain(password);
  const starts = ['serve', 'migrate'].map(async (command) => {
    const badge = spawnTestBadge(
      { LOG_LEVEL: 'trace', PORT: '0', BADGE_DATA_DIR: await makeDataDir(), ...env },
      { command },
    );
    expect(await badge.closed).not.toBe(0);
    expect(badge.output.stderr).toContain('badge: ');
    expect(findSecrets({ password }, badge.output)).toEqual([]);
  });
  await Promise.all(starts);
});
