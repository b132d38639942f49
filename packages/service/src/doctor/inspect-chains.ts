import { createChain } from '../chain/chain.ts';
import { ENS_CHAIN_ID } from '../chain/ens.ts';
import type { ChainEndpoints, Config } from '../config.ts';
import { type Finding, ok, warning } from './finding.ts';

/**
 * Asks each endpoint of a chain for its chain id. Names endpoints by their position, because a URL can
 * contain a key.
 */
export async function inspectChains(
  config: Pick<Config, 'chainEndpoints' | 'ensEndpoints'>,
): Promise<Finding[]> {
  const { chainEndpoints, ensEndpoints: urls } = config;
  const ens = urls.length === 0 ? [] : [{ chainId: ENS_CHAIN_ID, urls }];
  const findings = await Promise.all([
    ...chainEndpoints.map((endpoints) => inspectChain('BADGE_CHAIN_RPC_URLS', endpoints)),
    ...ens.map((endpoints) => inspectChain('BADGE_ENS_RPC_URL', endpoints)),
  ]);
  return findings.flat();
}

async function inspectChain(check: string, endpoints: ChainEndpoints): Promise<Finding[]> {
  const chain = createChain(endpoints);
  try {
    const results = await chain.inspect();
    return results.map((reason, index) => {
      const endpoint = `endpoint ${index + 1} of chain ${endpoints.chainId}`;
      return reason === null
        ? ok(check, `${endpoint} responds`)
        : warning(check, `${endpoint} cannot be used: ${reason}`, 'correct its URL, or ask its provider');
    });
  } finally {
    chain.close();
  }
}
