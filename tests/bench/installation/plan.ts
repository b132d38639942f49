/** How large an installation is. */
export interface Size {
  communities: number;
  tokens: number;
  addresses: number;
  claims: number;
  /** The most owners that a token has. */
  maxOwners: number;
}

// About as much as the largest public service has.
const WHOLE: Size = {
  communities: 20_000,
  tokens: 200_000,
  addresses: 2_000_000,
  claims: 7_200_000,
  maxOwners: 100_000,
};

export function sizeAt(scale: number): Size {
  const scaled = Object.entries(WHOLE).map(([name, count]) => [name, Math.round(count * scale)]);
  return Object.fromEntries(scaled) as unknown as Size;
}

// No community makes more than a part of all tokens, and nobody has more than a part of them.
const MAX_PART_OF_COMMUNITY = 1 / 10;
const MAX_PART_OF_ADDRESS = 1 / 20;
/** So many tokens are given to people at about the same time. */
const TOKENS_AT_ONCE = 256;
const MAX_DRAWS = 20;

/**
 * How people get a token: by claims with signatures, by airdrops, by claims with signatures of those on a
 * list, or with codes of links.
 */
export type Way = 'open' | 'airdrop' | 'list' | 'link';

// By the rank of a token, so that each way has its share of the large tokens, too: 5, 2, 2 and 1 of 10.
const WAYS: Way[] = ['open', 'list', 'open', 'airdrop', 'open', 'link', 'open', 'list', 'open', 'airdrop'];

/** Some tokens, and the operations that have created and given them, in the order of time. */
export interface Block {
  tokens: { first: number; end: number };
  operations: { first: number; end: number };
}

/**
 * Who has claimed what. Tokens, communities, addresses and operations are numbered from 0. 20 bytes for each
 * claim, so that memory is known before.
 */
export interface Plan {
  size: Size;
  seed: number;
  operations: number;
  /** By token. */
  wayOf(token: number): Way;
  communityOf: Uint32Array;
  ownersOf: Uint32Array;
  creationOf: Uint32Array;
  /** By operation. */
  tokenOf: Uint32Array;
  /** The address that got the token, and 1 more; 0: the operation has created it. */
  receiverOf: Uint32Array;
  /** The place of an operation if all are sorted by their ids, and the operation at each place. */
  rankOf: Uint32Array;
  operationAt: Uint32Array;
  blocks: Block[];
}

type Random = () => number;

/** Returns numbers from 0 to below 1: the same for the same seed (mulberry32). */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Divides a total by Zipf's law: the part of the rank r, from 1 on, is about 1 / r of the first one. Each is
 * at least 1, and at most `max`.
 */
export function divideByZipf(total: number, count: number, max: number): Uint32Array {
  const partOf = (scale: number, rank: number) => Math.min(max, Math.max(1, scale / rank));
  const sumOf = (scale: number) => {
    let sum = 0;
    for (let rank = 1; rank <= count; rank += 1) sum += partOf(scale, rank);
    return sum;
  };
  let [low, high] = [0, max * count];
  for (let step = 0; step < 64; step += 1) {
    const middle = (low + high) / 2;
    if (sumOf(middle) < total) low = middle;
    else high = middle;
  }
  const parts = new Uint32Array(count);
  const correction = total / sumOf(high);
  let [sum, rounded] = [0, 0];
  for (let rank = 1; rank <= count; rank += 1) {
    sum += partOf(high, rank) * correction;
    parts[rank - 1] = Math.round(sum) - rounded;
    rounded = Math.round(sum);
  }
  return parts;
}

function shuffle(values: Uint32Array[], random: Random, first = 0, end = values[0]?.length ?? 0): void {
  for (let last = end - 1; last > first; last -= 1) {
    const other = first + Math.floor(random() * (last - first + 1));
    for (const list of values) [list[last], list[other]] = [list[other] ?? 0, list[last] ?? 0];
  }
}

export function makePlan(size: Size, seed: number): Plan {
  const random = createRandom(seed);
  const { tokens, communities, claims } = size;
  const ownersOf = divideByZipf(claims, tokens, size.maxOwners);
  const ranks = Uint32Array.from(ownersOf, (_, rank) => rank);
  shuffle([ownersOf, ranks], random);
  const operations = tokens + claims;
  const [rankOf, operationAt] = [new Uint32Array(operations), new Uint32Array(operations)];
  for (let operation = 0; operation < operations; operation += 1) operationAt[operation] = operation;
  shuffle([operationAt], random);
  for (const [rank, operation] of operationAt.entries()) rankOf[operation] = rank;
  return {
    size,
    seed,
    operations,
    wayOf: (token) => WAYS[(ranks[token] ?? 0) % WAYS.length] as Way,
    communityOf: chooseCommunities(tokens, communities, random),
    ownersOf,
    rankOf,
    operationAt,
    ...placeOperations(size, ownersOf, random),
  };
}

function chooseCommunities(tokens: number, communities: number, random: Random): Uint32Array {
  const communityOf = new Uint32Array(tokens);
  let token = 0;
  for (const [community, count] of divideByZipf(
    tokens,
    communities,
    tokens * MAX_PART_OF_COMMUNITY,
  ).entries()) {
    communityOf.fill(community, token, token + count);
    token += count;
  }
  shuffle([communityOf], random);
  return communityOf;
}

type Operations = Pick<Plan, 'creationOf' | 'tokenOf' | 'receiverOf' | 'blocks'>;

function placeOperations(size: Size, ownersOf: Uint32Array, random: Random): Operations {
  const { tokens, claims } = size;
  const creationOf = new Uint32Array(tokens);
  const tokenOf = new Uint32Array(tokens + claims);
  const receiverOf = new Uint32Array(tokens + claims);
  const blocks: Block[] = [];
  const drawOwner = createOwners(size, random);
  let operation = 0;
  for (let first = 0; first < tokens; first += TOKENS_AT_ONCE) {
    const block = { tokens: { first, end: Math.min(first + TOKENS_AT_ONCE, tokens) }, firstOf: operation };
    for (let token = first; token < block.tokens.end; token += 1) {
      creationOf[token] = operation;
      tokenOf[operation] = token;
      operation += 1;
    }
    const firstClaim = operation;
    for (let token = first; token < block.tokens.end; token += 1) {
      for (let owner = 0; owner < (ownersOf[token] ?? 0); owner += 1) {
        tokenOf[operation] = token;
        receiverOf[operation] = 1 + drawOwner(token);
        operation += 1;
      }
    }
    shuffle([tokenOf, receiverOf], random, firstClaim, operation);
    blocks.push({ tokens: block.tokens, operations: { first: block.firstOf, end: operation } });
  }
  return { creationOf, tokenOf, receiverOf, blocks };
}

/**
 * Returns what draws an owner of a token who does not own it yet. Usually, who has many tokens gets the next
 * one (Simon's model), which gives the numbers of tokens a power law. In the end, each address owns one.
 */
function createOwners({ tokens, addresses, claims }: Size, random: Random): (token: number) => number {
  const earlier = new Uint32Array(claims);
  const held = new Uint32Array(addresses);
  // The last token that an address got, and 1 more.
  const last = new Uint32Array(addresses);
  const maxHeld = Math.ceil(tokens * MAX_PART_OF_ADDRESS);
  let drawn = 0;
  let known = 0;

  const isFree = (address: number, token: number) =>
    last[address] !== token + 1 && (held[address] ?? 0) < maxHeld;
  const findKnown = (token: number): number | undefined => {
    for (let draw = 0; draw < MAX_DRAWS && drawn > 0; draw += 1) {
      const address = earlier[Math.floor(random() * drawn)] ?? 0;
      if (isFree(address, token)) return address;
    }
    const from = Math.floor(random() * known);
    for (let step = 0; step < known; step += 1) {
      const address = (from + step) % known;
      if (isFree(address, token)) return address;
    }
    return undefined;
  };

  return (token) => {
    const isNewDue = known < addresses && known * claims <= drawn * addresses;
    let address = isNewDue ? undefined : findKnown(token);
    if (address === undefined) {
      if (known === addresses) throw new Error('there are not enough addresses');
      address = known;
      known += 1;
    }
    earlier[drawn] = address;
    drawn += 1;
    held[address] = (held[address] ?? 0) + 1;
    last[address] = token + 1;
    return address;
  };
}
