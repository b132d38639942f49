import {
  createEndpoint,
  type Endpoint,
  EndpointFailure,
  type EndpointLimits,
  ReadTimeout,
  RpcFailure,
  type RpcOutcome,
} from './endpoint.ts';

// The longest time for a whole read with one endpoint, before the next one is asked. Each request has its own
// limit, so most of it is for waiting for a connection.
const READ_MS = 10_000;
// An endpoint that has failed is asked last for this long.
const AVOIDED_MS = 30_000;
// How long the chain id of an endpoint counts, before it is asked again.
const CHAIN_ID_VALID_MS = 60_000;
const BLOCK_HASH = /^0x[0-9a-f]{64}$/i;
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,12})$/i;

/** Thrown if no endpoint of a chain has given a usable response. Says nothing about what was asked. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable';
}

/** A block, and calls at this block of the endpoint that has named it. */
export interface PinnedBlock {
  chainId: number;
  number: number;
  /** 32 bytes in hex, with 0x. */
  hash: string;
  /** Executes a call without a transaction. Without `to`, executes `data` as the code of a new contract. */
  call(call: { to?: string; data: string }, options: CallOptions): Promise<CallOutcome>;
  hasCode(address: string): Promise<boolean>;
  /** The failure of an endpoint that has responded what no node responds. */
  fail(reason: string): Error;
}

interface CallOptions {
  gas: number;
  maxBytes: number;
}

/**
 * `failed`: the code has reverted or has run out of gas. `data` is what it returned or, if it has reverted,
 * why.
 */
export type CallOutcome = { kind: 'returned'; data: string } | { kind: 'failed'; data: string | null };

export interface Chain {
  chainId: number;
  /**
   * Runs `work` at the newest block of the first endpoint that responds. If the endpoint fails, runs it again
   * with the next one. Throws `ChainUnavailable`.
   */
  read<T>(work: (block: PinnedBlock) => Promise<T>): Promise<T>;
  /**
   * Asks each endpoint for its chain id. Returns what is wrong with each, in their order; null for those that
   * work.
   */
  inspect(): Promise<(string | null)[]>;
  close(): void;
}

export interface ChainOptions {
  chainId: number;
  urls: string[];
  limits?: EndpointLimits;
  /** Called for each failure of an endpoint, which has this position among the URLs. */
  onFailure?: (failure: { chainId: number; endpoint: number; reason: string }) => void;
  /** Called at the end of each read through one endpoint. */
  onRead?: (result: 'success' | 'failure') => void;
}

/** The endpoints of one chain, in the order in which they are asked. */
export function createChain({ chainId, urls, limits, onFailure, onRead }: ChainOptions): Chain {
  const sources = urls.map((url, index) => {
    return { ...createSource(chainId, createEndpoint(url, limits)), position: index + 1, avoidedUntilMs: 0 };
  });

  return {
    chainId,
    read: async (work) => {
      const nowMs = performance.now();
      const inOrder = [
        ...sources.filter((one) => !isAvoided(one, nowMs)),
        ...sources.filter((one) => isAvoided(one, nowMs)),
      ];
      for (const source of inOrder) {
        // Requests that nobody waits for any more are not sent.
        const ended = new AbortController();
        try {
          const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(READ_MS)]);
          const result = await work(await source.pin(signal));
          source.avoidedUntilMs = 0;
          onRead?.('success');
          return result;
        } catch (error) {
          if (!(error instanceof EndpointFailure)) throw error;
          onRead?.('failure');
          // Otherwise, a contract or a large read could let the endpoints seem to be broken.
          if (!(error instanceof RpcFailure || error instanceof ReadTimeout))
            source.avoidedUntilMs = performance.now() + AVOIDED_MS;
          onFailure?.({ chainId, endpoint: source.position, reason: error.message });
        } finally {
          ended.abort();
        }
      }
      throw new ChainUnavailable();
    },
    inspect: async () =>
      await Promise.all(
        sources.map(async ({ checkChainId }) => {
          try {
            await checkChainId(AbortSignal.timeout(READ_MS));
            return null;
          } catch (error) {
            if (error instanceof EndpointFailure) return error.message;
            throw error;
          }
        }),
      ),
    close: () => {
      for (const { close } of sources) close();
    },
  };
}

function isAvoided({ avoidedUntilMs }: { avoidedUntilMs: number }, nowMs: number): boolean {
  return avoidedUntilMs > nowMs;
}

function createSource(chainId: number, endpoint: Endpoint) {
  let idCheckedAtMs = Number.NEGATIVE_INFINITY;

  async function checkChainId(signal: AbortSignal): Promise<void> {
    const result = resultOf(
      await endpoint.send({ method: 'eth_chainId', params: [], maxBytes: 1024 }, signal),
    );
    const found = toNumber(result);
    if (found === undefined) throw new EndpointFailure('its chain id is malformed');
    if (found !== chainId) throw new EndpointFailure(`it is an endpoint of chain ${found}, not ${chainId}`);
  }

  async function checkChainIdIfDue(signal: AbortSignal): Promise<void> {
    if (performance.now() - idCheckedAtMs < CHAIN_ID_VALID_MS) return;
    await checkChainId(signal);
    idCheckedAtMs = performance.now();
  }

  async function readNewestBlock(signal: AbortSignal): Promise<{ number: number; hash: string }> {
    const outcome = await endpoint.send(
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      signal,
    );
    const { number, hash } = (resultOf(outcome) ?? {}) as { number?: unknown; hash?: unknown };
    const blockNumber = toNumber(number);
    if (blockNumber === undefined || typeof hash !== 'string' || !BLOCK_HASH.test(hash)) {
      throw new EndpointFailure('its newest block is malformed');
    }
    return { number: blockNumber, hash: hash.toLowerCase() };
  }

  async function pin(signal: AbortSignal): Promise<PinnedBlock> {
    const forgetChainId = (error: unknown) => {
      idCheckedAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    };
    // In this order, so that an endpoint of another chain is asked nothing else.
    await checkChainIdIfDue(signal).catch(forgetChainId);
    const { number, hash } = await readNewestBlock(signal).catch(forgetChainId);
    // EIP-1898. A number could mean another block after a reorganisation.
    const block = { blockHash: hash };
    return {
      chainId,
      number,
      hash,
      call: async (call, { gas, maxBytes }) => {
        const params = [{ ...call, gas: `0x${gas.toString(16)}` }, block];
        return toCallOutcome(await endpoint.send({ method: 'eth_call', params, maxBytes }, signal));
      },
      hasCode: async (address) => {
        const code = resultOf(
          await endpoint.send({ method: 'eth_getCode', params: [address, block] }, signal),
        );
        if (!isHex(code)) throw new EndpointFailure('its code of an address is malformed');
        return code !== '0x';
      },
      fail: (reason) => new EndpointFailure(reason),
    };
  }

  return { checkChainId, pin, close: endpoint.close };
}

function resultOf(outcome: RpcOutcome): unknown {
  // The message is text of the endpoint, which could repeat its URL.
  if (outcome.kind === 'error') throw new RpcFailure(`it responded the error ${outcome.code}`);
  return outcome.result;
}

/**
 * Tells the result of a call from the failure of an endpoint. Only the code 3, a revert and an end of the gas
 * come from the code that was called. Every other error says nothing about it, such as −32001 for an unknown
 * block.
 */
function toCallOutcome(outcome: RpcOutcome): CallOutcome {
  if (outcome.kind === 'result') {
    if (!isHex(outcome.result)) throw new EndpointFailure('its result of a call is malformed');
    return { kind: 'returned', data: outcome.result.toLowerCase() };
  }
  const { code, message, data } = outcome;
  const isOfCode = code === 3 || /\brevert(ed)?\b/i.test(message) || /\bout ?of ?gas\b/i.test(message);
  if (!isOfCode) throw new RpcFailure(`it responded the error ${code}`);
  return { kind: 'failed', data: isHex(data) ? data.toLowerCase() : null };
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value);
}

function toNumber(quantity: unknown): number | undefined {
  return typeof quantity === 'string' && QUANTITY.test(quantity) ? Number(quantity) : undefined;
}
