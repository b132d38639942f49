import { createHash } from 'node:crypto';
import { TYPED_DATA_VERSION, toBadgeMessage } from '@badge/protocol';
import { fileOf } from '../../../packages/service/src/archive/lines.ts';
import {
  type FileEntry,
  FORMAT_VERSION,
  MANIFEST_FILE,
  type Manifest,
} from '../../../packages/service/src/archive/manifest.ts';
import { NOUNS, type Noun } from '../../../packages/service/src/archive/nouns.ts';
import { createTar, type TarWriter } from '../../../packages/service/src/archive/tar.ts';
import { addressOfPrivateKey, signDigest } from '../../../packages/service/src/signatures/sign-digest.ts';
import { VERSION } from '../../../packages/service/src/version.ts';
import { DOMAIN, typedData } from '../signed-requests.ts';
import type { Block, Plan } from './plan.ts';

const PIECE_CHARACTERS = 1024 * 1024;
/** Three years of operations, so long ago that all events are deleted. */
const FIRST_TIMESTAMP = Date.UTC(2023, 0, 1);
const LAST_TIMESTAMP = Date.UTC(2026, 0, 1);
const SETTLE_MS = 20;
/** Of those on a list, or who got a link, this part has not claimed. */
const UNCLAIMED = 1 / 4;
/** So often can an open token still be claimed. */
const REMAINING = 1_000_000;
/** One of so many tokens is hidden. */
const HIDDEN = 10;
const ADDRESS_BYTES = 20;

type Fields = Record<string, unknown>;

/**
 * Writes an installation of this plan to an archive, as an export would. Its signatures are real. Personal
 * data, pictures and burns are missing.
 */
export async function writeArchive(
  file: string,
  plan: Plan,
  report: (name: string) => void,
): Promise<Manifest> {
  const linesOf = createLines(plan);
  const tar = await createTar(file);
  try {
    const files: FileEntry[] = [];
    for (const noun of NOUNS) {
      files.push(await addFile(tar, noun, linesOf[noun.name]?.() ?? []));
      report(noun.name);
    }
    const { chainId, verifyingContract } = DOMAIN;
    const manifest: Manifest = {
      format: 'badge',
      formatVersion: FORMAT_VERSION,
      serviceVersion: VERSION,
      scope: 'installation',
      deployment: { environment: 'production', chainId, verifyingContract },
      keys: { creatorSeed: null, issuerSeed: null, holderSeed: null, encryptionKey: null },
      files,
    };
    await tar.add(MANIFEST_FILE, pieces([JSON.stringify(manifest, null, 2)]));
    await tar.end();
    return manifest;
  } finally {
    await tar.close();
  }
}

async function addFile(tar: TarWriter, noun: Noun, lines: Iterable<Fields>): Promise<FileEntry> {
  const hash = createHash('sha256');
  const entry = { name: fileOf(noun), lines: 0, bytes: 0 };
  const names = Object.keys(noun.fields);
  function* write() {
    for (const fields of lines) {
      entry.lines += 1;
      yield JSON.stringify(Object.fromEntries(names.map((name) => [name, fields[name] ?? null])));
    }
  }
  async function* watch() {
    for await (const bytes of pieces(write())) {
      hash.update(bytes);
      entry.bytes += bytes.length;
      yield bytes;
    }
  }
  await tar.add(entry.name, watch());
  return { ...entry, sha256: hash.digest('hex') };
}

async function* pieces(lines: Iterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** The lines of each file that has some, in the order of an export. A field that is left out is null. */
function createLines(plan: Plan): Record<string, () => Iterable<Fields>> {
  const { size, communityOf, ownersOf, creationOf, tokenOf, receiverOf, rankOf, operationAt, blocks } = plan;
  const hashOf = (label: string, index: number) =>
    createHash('sha256').update(`${plan.seed} ${label} ${index}`).digest('hex');
  const uuidOf = (label: string, index: number) => toUuid(hashOf(label, index));
  const keyOf = (label: string, index: number) => Buffer.from(hashOf(label, index), 'hex');

  // Random ids whose order is known: the first 48 bits are the rank of the operation.
  const operationId = (operation: number) => {
    const start = Math.floor(((rankOf[operation] ?? 0) / plan.operations) * 2 ** 48).toString(16);
    return toUuid(`${start.padStart(12, '0')}${hashOf('operation', operation).slice(12)}`);
  };
  const stepMs = (LAST_TIMESTAMP - FIRST_TIMESTAMP) / plan.operations;
  const timeOf = (operation: number) => FIRST_TIMESTAMP + Math.floor(operation * stepMs);

  const communityId = (community: number) => `community-${String(community + 1).padStart(5, '0')}`;
  const communities = range(0, size.communities);
  const ownerAddresses = communities.map((index) => addressOfPrivateKey(keyOf('creator', index)));
  const ownerAddress = (community: number) => toHex(ownerAddresses[community]);
  const apiKeyId = (community: number) => uuidOf('apiKey', community);
  const communityIdOf = (token: number) => communityId(communityOf[token] ?? 0);
  const apiKeyIdOf = (token: number) => apiKeyId(communityOf[token] ?? 0);

  const addresses = Buffer.alloc(size.addresses * ADDRESS_BYTES);
  for (let index = 0; index < size.addresses; index += 1)
    addresses.set(addressOfPrivateKey(keyOf('address', index)), index * ADDRESS_BYTES);
  const addressOf = (index: number) =>
    toHex(addresses.subarray(index * ADDRESS_BYTES, (index + 1) * ADDRESS_BYTES));
  const receiver = (operation: number) => (receiverOf[operation] ?? 0) - 1;
  const isCreation = (operation: number) => receiverOf[operation] === 0;

  /** Of a token with a list or links: its owners in the order of time, and those who have not claimed. */
  function entriesOf(token: number, owners: number[]): Entry[] {
    const unclaimed = Math.ceil(owners.length * UNCLAIMED);
    return [...owners, ...range(0, unclaimed)].map((owner, index) => {
      const claim = index < owners.length ? owner : undefined;
      const name = `${token} ${index}`;
      if (plan.wayOf(token) === 'list') {
        const address =
          claim === undefined ? toHex(keyOf(`listed ${name}`, 0).subarray(12)) : addressOf(receiver(claim));
        return { claim, key: address, address };
      }
      const claimLinkId = uuidOf(`link ${name}`, 0);
      const address = claim === undefined ? null : addressOf(receiver(claim));
      return { claim, key: `0x${hashOf(`key ${name}`, 0)}`, address, claimLinkId };
    });
  }
  const hasEntries = (token: number) => ['list', 'link'].includes(plan.wayOf(token));

  const linkCounts = new Uint32Array(size.communities);
  for (const [token, owners] of ownersOf.entries()) {
    if (plan.wayOf(token) !== 'link') continue;
    const community = communityOf[token] ?? 0;
    linkCounts[community] = (linkCounts[community] ?? 0) + owners + Math.ceil(owners * UNCLAIMED);
  }

  /** The claims of each token of a block, in the order of time. */
  function claimsOf({ tokens, operations }: Block): number[][] {
    const claims: number[][] = Array.from({ length: tokens.end - tokens.first }, () => []);
    for (let operation = operations.first; operation < operations.end; operation += 1)
      if (!isCreation(operation)) claims[(tokenOf[operation] ?? 0) - tokens.first]?.push(operation);
    return claims;
  }
  function* tokensWithClaims(): Generator<{ token: number; claims: number[] }> {
    for (const block of blocks)
      for (const [index, claims] of claimsOf(block).entries())
        yield { token: block.tokens.first + index, claims };
  }

  function* operations(): Generator<Fields> {
    for (let operation = 0; operation < plan.operations; operation += 1) {
      const token = tokenOf[operation] ?? 0;
      const operationType = isCreation(operation)
        ? 'createToken'
        : plan.wayOf(token) === 'airdrop'
          ? 'airdrop'
          : 'claim';
      yield {
        sequence: operation + 1,
        operationId: operationId(operation),
        operationType,
        status: 'success',
        communityId: communityIdOf(token),
        apiKeyId: operationType === 'claim' ? null : apiKeyIdOf(token),
        requestIdentity: `0x${hashOf('identity', operation)}`,
        requestBytes: operationType === 'createToken' ? 700 : 186,
        resourceId: token + 1,
        createdAtTimestamp: timeOf(operation),
        completedAtTimestamp: timeOf(operation) + SETTLE_MS,
      };
    }
  }

  function* signatures(): Generator<Fields> {
    for (const operation of operationAt) {
      const token = tokenOf[operation] ?? 0;
      if (isCreation(operation) || !['open', 'list'].includes(plan.wayOf(token))) continue;
      const digest = typedData.tokenIdDigest('Claim', token + 1);
      yield {
        operationId: operationId(operation),
        primaryType: 'Claim',
        tokenId: token + 1,
        signer: addressOf(receiver(operation)),
        signature: signDigest(digest, keyOf('address', receiver(operation))),
        typedDataVersion: TYPED_DATA_VERSION,
      };
    }
  }

  function* tokens(): Generator<Fields> {
    for (let token = 0; token < size.tokens; token += 1) {
      const community = communityOf[token] ?? 0;
      const creation = creationOf[token] ?? 0;
      const owners = ownersOf[token] ?? 0;
      const isAllowlistRequired = hasEntries(token);
      const request = {
        communityId: communityId(community),
        headline: `Meeting ${1 + (token % 1_000)} of ${communityId(community)}`,
        description: 'For those who were at the annual meeting of the community, in the main hall.',
        links: ['https://example.org/meeting/2026'],
        isSignatureRequired: false,
        isAllowlistRequired,
        totalClaimCount: isAllowlistRequired ? null : owners + REMAINING,
      };
      const digest = typedData.badgeDigest(toBadgeMessage(request));
      yield {
        ...request,
        tokenId: token + 1,
        operationId: operationId(creation),
        creator: ownerAddress(community),
        nftTypeId: 'defaultOrangeRed',
        remainingClaimCount: isAllowlistRequired ? null : REMAINING,
        customAttributes: [{ type: 'string', value: 'web', fieldName: 'track' }],
        signature: signDigest(digest, keyOf('creator', community)),
        typedDataVersion: TYPED_DATA_VERSION,
        createdAtTimestamp: timeOf(creation),
        isHidden: token % HIDDEN === HIDDEN - 1,
      };
    }
  }

  function* contributors(): Generator<Fields> {
    for (const { token, claims } of tokensWithClaims()) {
      if (!hasEntries(token)) continue;
      const lines = entriesOf(token, claims).map(({ key, claimLinkId }, index) => ({
        tokenId: token + 1,
        contributorKey: key,
        identifier: claimLinkId === undefined ? null : `claimLink:${claimLinkId}`,
        position: index + 1,
        addedAtTimestamp: timeOf(creationOf[token] ?? 0),
      }));
      yield* lines.sort((a, b) => (a.contributorKey < b.contributorKey ? -1 : 1));
    }
  }

  function* owners(): Generator<Fields> {
    for (const { token, claims } of tokensWithClaims()) {
      const entries = hasEntries(token) ? entriesOf(token, claims) : [];
      const lines = claims.map((claim, index) => ({
        tokenId: token + 1,
        address: addressOf(receiver(claim)),
        contributorKey: entries[index]?.key ?? null,
        operationId: operationId(claim),
        claimedAtTimestamp: timeOf(claim) + SETTLE_MS,
      }));
      yield* lines.sort((a, b) => (a.address < b.address ? -1 : 1));
    }
  }

  function* claimLinks(): Generator<Fields> {
    let sequence = 0;
    for (const { token, claims } of tokensWithClaims()) {
      if (plan.wayOf(token) !== 'link') continue;
      for (const { claim, key, claimLinkId } of entriesOf(token, claims)) {
        sequence += 1;
        yield {
          sequence,
          claimLinkId,
          tokenId: token + 1,
          contributorKey: key,
          codeHash: `0x${hashOf('code', sequence)}`,
          createdAtTimestamp: timeOf(creationOf[token] ?? 0),
          claimCount: 0,
          isSignatureRequired: false,
          isUsed: claim !== undefined,
          hasClients: false,
        };
      }
    }
  }

  /** Those with an entry are known since the creation of the token, and the others since they claimed. */
  function* recipients(): Generator<Fields> {
    let sequence = 0;
    const next = (fields: Fields) => {
      sequence += 1;
      return { sequence, recipientId: uuidOf('recipient', sequence), isFormer: false, ...fields };
    };
    for (const block of blocks) {
      for (const [index, claims] of claimsOf(block).entries()) {
        const token = block.tokens.first + index;
        if (!hasEntries(token)) continue;
        for (const { key, address, claimLinkId } of entriesOf(token, claims))
          yield next({
            tokenId: token + 1,
            contributorKey: key,
            way: plan.wayOf(token),
            address,
            claimLinkId,
            addedAtTimestamp: timeOf(creationOf[token] ?? 0),
          });
      }
      for (let operation = block.operations.first; operation < block.operations.end; operation += 1) {
        const token = tokenOf[operation] ?? 0;
        if (isCreation(operation) || hasEntries(token)) continue;
        const address = addressOf(receiver(operation));
        const way = plan.wayOf(token);
        const addedAtTimestamp = timeOf(operation) + SETTLE_MS;
        yield next({ tokenId: token + 1, contributorKey: address, way, address, addedAtTimestamp });
      }
    }
  }

  function* tokenCounts(): Generator<Fields> {
    for (let token = 0; token < size.tokens; token += 1) {
      const claimedCount = ownersOf[token] ?? 0;
      const entries = hasEntries(token) ? claimedCount + Math.ceil(claimedCount * UNCLAIMED) : 0;
      yield {
        tokenId: token + 1,
        claimedCount: hasEntries(token) ? claimedCount : 0,
        contributorCount: entries,
        recipientCount: hasEntries(token) ? entries : claimedCount,
      };
    }
  }

  function* auditLog(): Generator<Fields> {
    let auditEntryId = 0;
    const next = (fields: Fields) => {
      auditEntryId += 1;
      return { auditEntryId, ...fields };
    };
    for (const community of communities) {
      const made = { communityId: communityId(community), recordedAtTimestamp: FIRST_TIMESTAMP };
      const id = { community: made.communityId, apiKey: apiKeyId(community) };
      for (const [type, action] of [
        ['community', 'createCommunity'],
        ['apiKey', 'createApiKey'],
      ] as const)
        yield next({ ...made, actor: 'operator', action, resourceType: type, resourceId: id[type] });
    }
    for (let operation = 0; operation < plan.operations; operation += 1) {
      const token = tokenOf[operation] ?? 0;
      const way = plan.wayOf(token);
      const hasApiKey = isCreation(operation) || way === 'airdrop';
      yield next({
        recordedAtTimestamp: timeOf(operation),
        actor: hasApiKey ? 'apiKey' : way === 'link' ? 'claimCode' : 'signature',
        apiKeyId: hasApiKey ? apiKeyIdOf(token) : null,
        action: isCreation(operation) ? 'createToken' : way === 'airdrop' ? 'airdrop' : 'claim',
        communityId: communityIdOf(token),
        resourceType: 'operation',
        resourceId: operationId(operation),
      });
    }
  }

  return {
    communities: () =>
      communities.map((community) => ({
        uniqId: communityId(community),
        displayId: communityId(community),
        name: `Community ${community + 1}`,
        description: 'People who meet once a year.',
        adminAddresses: [ownerAddress(community)],
        createdAtTimestamp: FIRST_TIMESTAMP,
        claimLinkCount: linkCounts[community],
        unclaimedAfterDays: [],
        beforeExpiryDays: [],
      })),
    members: () =>
      communities.map((community) => ({
        sequence: community + 1,
        communityId: communityId(community),
        address: ownerAddress(community),
        role: 'owner',
        addedAtTimestamp: FIRST_TIMESTAMP,
      })),
    'api-keys': () =>
      communities
        .map((community) => ({
          apiKeyId: apiKeyId(community),
          communityId: communityId(community),
          keyHash: `0x${hashOf('apiKeyHash', community)}`,
          prefix: 'badge_production_0000',
          name: 'bench',
          role: 'editor',
          createdAtTimestamp: FIRST_TIMESTAMP,
        }))
        .sort((a, b) => (a.apiKeyId < b.apiKeyId ? -1 : 1)),
    operations,
    signatures,
    tokens,
    contributors,
    owners,
    'claim-links': claimLinks,
    recipients,
    'token-counts': tokenCounts,
    'token-counter': () => [{ lastTokenId: size.tokens }],
    'event-counter': () => [{ lastPosition: plan.operations, lastDeletedPosition: plan.operations }],
    'audit-log': auditLog,
  };
}

interface Entry {
  /** The operation that has used the entry. */
  claim: number | undefined;
  key: string;
  address: string | null;
  /** Of a token with links. */
  claimLinkId?: string;
}

function toUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function toHex(bytes: Uint8Array | undefined): string {
  return `0x${Buffer.from(bytes ?? []).toString('hex')}`;
}

function range(first: number, end: number): number[] {
  return Array.from({ length: end - first }, (_, index) => first + index);
}
