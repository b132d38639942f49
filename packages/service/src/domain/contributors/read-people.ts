import type { ContributorEntry, Person } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { AllowlistContributor } from '../../storage/tokens.ts';
import { encryptPerson, identifyPeople, isPersonGiven } from '../recipients/rules.ts';
import { requireEncryption } from '../require-encryption.ts';

/** The contributor of an entry, as text. */
export function textOf(entry: ContributorEntry): string {
  return typeof entry === 'string' ? entry : entry.contributor;
}

/** Throws if an entry says who somebody is, and this process cannot encrypt it. */
export function checkMayName(context: Context, entries: (ContributorEntry | Person)[]): void {
  if (entries.some((entry) => typeof entry !== 'string' && isPersonGiven(entry))) requireEncryption(context);
}

/**
 * Adds to contributors what the entries of a request say about them, encrypted, so that the operation is
 * stored without it. Of two entries of one contributor, the first counts. `subjects` is for the identity of
 * the request.
 */
export function nameContributors(
  { encryption }: Context,
  entries: ContributorEntry[],
  { contributors, keyOf }: { contributors: AllowlistContributor[]; keyOf: (text: string) => Buffer },
): { contributors: AllowlistContributor[]; subjects: Buffer[] } {
  const people = new Map<string, Person>();
  for (const entry of entries) {
    if (typeof entry === 'string' || !isPersonGiven(entry)) continue;
    const key = keyOf(entry.contributor).toString('hex');
    if (!people.has(key)) people.set(key, entry);
  }
  if (encryption === null || people.size === 0) return { contributors, subjects: [] };
  const named = contributors.map((contributor): AllowlistContributor => {
    const person = people.get(contributor.key.toString('hex'));
    if (person === undefined) return contributor;
    const { name, email, emailHash, note } = encryptPerson(encryption, contributor.key, person);
    return {
      ...contributor,
      ...(name !== null && { name }),
      ...(email !== null && emailHash !== null && { email, emailHash }),
      ...(note !== null && { note }),
    };
  });
  const said = [...people].map(([hex, person]) => ({ contributorKey: Buffer.from(hex, 'hex'), person }));
  return { contributors: named, subjects: identifyPeople(encryption, said) };
}
