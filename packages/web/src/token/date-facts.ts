import type { Token } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import type { Fact } from '../design/fact-list.tsx';
import { useFormats } from '../formats.ts';

/**
 * The dates of the event, from when and until when the token can be claimed, and until when it is valid.
 * Empty if it has no dates.
 */
export function useDateFacts(token: Token): Fact[] {
  const { t } = useTranslation();
  const { dateTime, end, period } = useFormats();
  const { startDateTimestamp, endDateTimestamp, claimableFromTimestamp, validUntilTimestamp, validityDays } =
    token;
  const { expirationTimestamp } = token.claimabilityAttributes;
  const facts: Fact[] = [];
  if (startDateTimestamp !== null && endDateTimestamp !== null)
    facts.push({ label: t('token.dates'), value: period([startDateTimestamp, endDateTimestamp]) });
  else if (startDateTimestamp !== null)
    facts.push({ label: t('token.starts'), value: period([startDateTimestamp]) });
  else if (endDateTimestamp !== null)
    facts.push({ label: t('token.ends'), value: period([endDateTimestamp]) });
  if (claimableFromTimestamp !== null && claimableFromTimestamp > Date.now())
    facts.push({ label: t('token.claimFrom'), value: dateTime(claimableFromTimestamp) });
  if (expirationTimestamp !== null)
    facts.push({
      label: t(expirationTimestamp > Date.now() ? 'token.claimUntil' : 'token.claimedUntil'),
      value: end(expirationTimestamp),
    });
  if (validUntilTimestamp !== null)
    facts.push({
      label: t(validUntilTimestamp > Date.now() ? 'token.validUntil' : 'token.wasValidUntil'),
      value: end(validUntilTimestamp),
    });
  if (validityDays !== null)
    facts.push({ label: t('token.validFor'), value: t('token.validDays', { count: validityDays }) });
  return facts;
}
