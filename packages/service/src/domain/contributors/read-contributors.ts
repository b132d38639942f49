import { LIMITS, type RequestError } from '@badge/protocol';
import type { Ens, EnsResolution } from '../../chain/ens.ts';
import type { Context } from '../../context.ts';
import type { AllowlistContributor } from '../../storage/tokens.ts';
import { type CountChainCalls, refuseChainErrors } from '../check-signature.ts';
import { checkNoErrors, MAX_ERRORS } from '../refusal.ts';
import { looksLikeEnsName, normaliseContributor, normaliseContributors } from './rules.ts';

const NAMES_PER_CALL = 10;

const RESOLUTION_ERRORS: Record<Exclude<EnsResolution['kind'], 'address'>, string> = {
  none: 'is an ENS name without an Ethereum address',
  offChain:
    'is an ENS name that only a server off the chain can resolve (CCIP-Read), which this service does not ask',
};

/**
 * Returns contributors in their normal form, without duplicates. If the service resolves ENS names, they become addresses;
 * throws for a name that does not resolve. Otherwise, each of them gets a warning. Requests may be sent to an endpoint, so
 * this must not be called in a transaction.
 */
export async function readContributors(
  context: Context,
  texts: string[],
  countChainCalls: CountChainCalls,
): Promise<{ contributors: AllowlistContributor[]; warnings: RequestError[] }> {
  const named = texts.flatMap((text, index) =>
    looksLikeEnsName(text) ? [{ text, pointer: `/contributors/${index}` }] : [],
  );
  if (named.length === 0 || context.ens === null) {
    return {
      contributors: normaliseContributors(texts),
      warnings: named.slice(0, MAX_ERRORS).map(toWarning),
    };
  }
  const resolved = await resolveNames(context.ens, named, countChainCalls);
  return { contributors: mergeContributors(texts, resolved), warnings: [] };
}

function toWarning({ pointer }: { pointer: string }): RequestError {
  return {
    pointer,
    detail:
      'looks like an ENS name, but this service does not resolve names. It was added as text, which is the name of no wallet.',
  };
}

/** Returns the contributor of each text. */
async function resolveNames(
  ens: Ens,
  named: { text: string; pointer: string }[],
  countChainCalls: CountChainCalls,
): Promise<Map<string, AllowlistContributor>> {
  const normalised = named.map((one) => ({ ...one, name: ens.normalise(one.text.trim()) }));
  checkNoErrors(
    normalised.flatMap(({ name, pointer }) =>
      name === null ? [{ pointer, detail: 'is not a valid ENS name (ENSIP-15)' }] : [],
    ),
  );
  const names = [...new Set(normalised.flatMap(({ name }) => name ?? []))];
  const extra = normalised.find(({ name }) => name === names[LIMITS.ensNames]);
  checkNoErrors(
    extra === undefined
      ? []
      : [
          {
            pointer: extra.pointer,
            detail: `is one ENS name more than the ${LIMITS.ensNames} that a request may contain`,
          },
        ],
  );
  countChainCalls(Math.ceil(names.length / NAMES_PER_CALL));
  const resolutions = await ens.resolve(names).catch(refuseChainErrors(ens.chain.chainId));
  const byName = new Map(names.map((name, index) => [name, resolutions[index]]));
  const errors: RequestError[] = [];
  const contributors = new Map<string, AllowlistContributor>();
  for (const { text, pointer, name } of normalised) {
    const resolution = byName.get(name ?? '') ?? { kind: 'none' };
    if (resolution.kind !== 'address') errors.push({ pointer, detail: RESOLUTION_ERRORS[resolution.kind] });
    else if (name !== null) contributors.set(text, { key: resolution.address, ensName: name });
  }
  checkNoErrors(errors);
  return contributors;
}

// An address that is also in the list without its name gets the name.
function mergeContributors(
  texts: string[],
  resolved: Map<string, AllowlistContributor>,
): AllowlistContributor[] {
  const byKey = new Map<string, AllowlistContributor>();
  for (const text of texts) {
    const contributor = resolved.get(text) ?? normaliseContributor(text);
    const key = contributor.key.toString('hex');
    const first = byKey.get(key);
    if (first === undefined) byKey.set(key, contributor);
    else if (first.ensName === undefined && contributor.ensName !== undefined) byKey.set(key, contributor);
  }
  return [...byKey.values()];
}
