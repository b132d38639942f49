import { LIMITS, type RequestError } from '@badge/protocol';
import type { Ens, EnsResolution } from '../../chain/ens.ts';
import type { Context } from '../../context.ts';
import type { AllowlistContributor } from '../../storage/tokens.ts';
import { type RunChainCalls, refuseChainErrors } from '../check-signature.ts';
import { checkNoErrors, MAX_ERRORS } from '../refusal.ts';
import { looksLikeEnsName, normaliseContributor, normaliseContributors } from './rules.ts';

// They must end within one read of the chain, also with a slow endpoint.
const NAMES_PER_READ = 25;

const RESOLUTION_ERRORS: Record<Exclude<EnsResolution['kind'], 'address'>, string> = {
  none: 'is an ENS name without an Ethereum address',
  offChain:
    'is an ENS name that only a server off the chain can resolve (CCIP-Read), which this service does not ask',
};

/** A list of contributors, of which everything was checked that needs no chain. */
export interface ContributorsToRead {
  /**
   * Returns the contributors in their normal form, without duplicates. If the service resolves ENS names,
   * they become addresses; throws for a name that does not resolve. Otherwise, each of them gets a warning.
   * Requests may be sent to an endpoint, so this must not be called in a transaction.
   *
   * `keyOf` returns the contributor key of one of the texts.
   */
  finish(): Promise<{
    contributors: AllowlistContributor[];
    warnings: RequestError[];
    keyOf: (text: string) => Buffer;
  }>;
}

/**
 * Begins to read contributors. Throws if a name that would be resolved is invalid, or if there are too many
 * of them.
 */
export function beginReadingContributors(
  { ens }: Context,
  texts: string[],
  runChainCalls: RunChainCalls,
): ContributorsToRead {
  const named = texts.flatMap((text, index) =>
    looksLikeEnsName(text) ? [{ text, pointer: `/contributors/${index}` }] : [],
  );
  if (named.length === 0 || ens === null) {
    const contributors = normaliseContributors(texts);
    const warnings = named.slice(0, MAX_ERRORS).map(toWarning);
    return {
      finish: async () => ({ contributors, warnings, keyOf: (text) => normaliseContributor(text).key }),
    };
  }
  const names = normaliseNames(ens, named);
  return {
    finish: async () => {
      const resolved = await resolveNames(ens, names, runChainCalls);
      const keyOf = (text: string) => (resolved.get(text) ?? normaliseContributor(text)).key;
      return { contributors: mergeContributors(texts, resolved), warnings: [], keyOf };
    },
  };
}

function toWarning({ pointer }: { pointer: string }): RequestError {
  return {
    pointer,
    detail:
      'looks like an ENS name, but this service does not resolve names. It was added as text, which is the name of no wallet.',
  };
}

/** A text that looks like an ENS name, and the name in its normal form. */
interface ListedName {
  text: string;
  pointer: string;
  name: string;
}

function normaliseNames(ens: Ens, named: { text: string; pointer: string }[]): ListedName[] {
  const errors: RequestError[] = [];
  const listed: ListedName[] = [];
  for (const { text, pointer } of named) {
    const name = ens.normalise(text.trim());
    if (name === null) errors.push({ pointer, detail: 'is not a valid ENS name (ENSIP-15)' });
    else listed.push({ text, pointer, name });
  }
  checkNoErrors(errors);
  const extraName = [...new Set(listed.map(({ name }) => name))][LIMITS.ensNames];
  const extra = listed.find(({ name }) => name === extraName);
  if (extra !== undefined) {
    const detail = `is one ENS name more than the ${LIMITS.ensNames} that a request may contain`;
    checkNoErrors([{ pointer: extra.pointer, detail }]);
  }
  return listed;
}

/** Returns the contributor of each text. */
async function resolveNames(
  ens: Ens,
  listed: ListedName[],
  runChainCalls: RunChainCalls,
): Promise<Map<string, AllowlistContributor>> {
  const names = [...new Set(listed.map(({ name }) => name))];
  const byName = new Map<string, EnsResolution>();
  for (let start = 0; start < names.length; start += NAMES_PER_READ) {
    const part = names.slice(start, start + NAMES_PER_READ);
    // All are counted before the first is asked.
    const resolutions = await runChainCalls(start === 0 ? names.length : 0, () => ens.resolve(part)).catch(
      refuseChainErrors(ens.chain.chainId),
    );
    for (const [index, name] of part.entries()) byName.set(name, resolutions[index] ?? { kind: 'none' });
  }
  const errors: RequestError[] = [];
  const contributors = new Map<string, AllowlistContributor>();
  for (const { text, pointer, name } of listed) {
    const resolution = byName.get(name) ?? { kind: 'none' };
    if (resolution.kind === 'address') contributors.set(text, { key: resolution.address, ensName: name });
    else errors.push({ pointer, detail: RESOLUTION_ERRORS[resolution.kind] });
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
