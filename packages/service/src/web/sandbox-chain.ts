import Type from 'typebox';
import type { Settings } from '../context.ts';
import { addJsonParser } from '../http/json-body.ts';
import type { App } from '../routes/route.ts';

/**
 * The default chain of a sandbox: Polygon's former testnet Mumbai. It has been shut down, so it has no public
 * nodes.
 */
const SANDBOX_CHAIN_ID = 80001;
const MAX_BODY_BYTES = 16 * 1024;
const MAX_CALLS = 20;
/** The JSON-RPC 2.0 error code of an unknown method. */
const METHOD_NOT_FOUND = -32601;

const Call = Type.Object({
  id: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
  method: Type.String(),
});

const ZERO_HASH = `0x${'0'.repeat(64)}`;

/** The chain's only block, with the fields that client libraries require. */
const BLOCK = {
  number: '0x0',
  hash: ZERO_HASH,
  parentHash: ZERO_HASH,
  stateRoot: ZERO_HASH,
  nonce: '0x0000000000000000',
  timestamp: '0x0',
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  baseFeePerGas: '0x0',
  miner: `0x${'0'.repeat(40)}`,
  extraData: '0x',
  size: '0x0',
  transactions: [],
  uncles: [],
};

/**
 * The result of each supported method. Wallets call these methods when they add a chain, and while they use
 * it.
 */
const RESULT_BY_METHOD = new Map<string, unknown>([
  ['eth_chainId', `0x${SANDBOX_CHAIN_ID.toString(16)}`],
  ['net_version', String(SANDBOX_CHAIN_ID)],
  ['eth_blockNumber', BLOCK.number],
  ['eth_getBlockByNumber', BLOCK],
  ['eth_getBalance', '0x0'],
  ['eth_getTransactionCount', '0x0'],
  ['eth_getCode', '0x'],
  ['eth_call', '0x'],
  ['eth_gasPrice', '0x0'],
]);

/**
 * Serves a JSON-RPC node of the sandbox's chain at /sandbox-chain. Most wallets sign only for chains that
 * they have added, and add a chain only if one of its nodes responds. The chain is empty, and accepts no
 * transactions.
 */
export async function addSandboxChain(app: App, { environment, domain }: Settings): Promise<void> {
  // Any other chain has nodes of its own.
  if (environment !== 'sandbox' || domain.chainId !== SANDBOX_CHAIN_ID) return;
  addJsonParser(app);
  app.post(
    '/sandbox-chain',
    {
      bodyLimit: MAX_BODY_BYTES,
      // Wallets repeat their calls in the background. Counted as web pages, these calls do not use up the
      // quota of claims.
      config: { access: 'public', addressPolicy: 'page' },
      schema: {
        hide: true,
        body: Type.Union([Call, Type.Array(Call, { minItems: 1, maxItems: MAX_CALLS })]),
      },
    },
    async ({ body }) => (Array.isArray(body) ? body.map(respond) : respond(body)),
  );
}

function respond({ id = null, method }: Type.Static<typeof Call>) {
  const result = RESULT_BY_METHOD.get(method);
  if (result !== undefined) return { jsonrpc: '2.0', id, result };
  const message = `The sandbox chain does not support ${method.slice(0, 100)}.`;
  return { jsonrpc: '2.0', id, error: { code: METHOD_NOT_FOUND, message } };
}
