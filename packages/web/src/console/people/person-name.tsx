import type { Recipient } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { NamedAddress } from '../../token/named-address.tsx';

type Known = Pick<Recipient, 'name' | 'email' | 'identifier' | 'address'>;

/** Returns the name of a person, or else the e-mail or the identifier. Null if there is only an address. */
export function findName({ name, email, identifier }: Known): string | null {
  return name ?? email ?? identifier;
}

/** The texts that say who a person is, besides the address. */
export function listTexts({ name, email, identifier }: Known): string[] {
  return [...new Set([name, email, identifier].filter((text) => text !== null))];
}

export function PersonName({ person }: { person: Known }) {
  const { t } = useTranslation('console');
  const name = findName(person);
  if (name !== null) return <bdi>{name}</bdi>;
  return person.address === null ? t('people.unknown') : <NamedAddress value={person.address} />;
}
