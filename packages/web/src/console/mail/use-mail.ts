import type { Environment } from '@badge/sdk';
import { useLoaded } from '../../use-loaded.ts';
import { useSession } from '../session/session.ts';

/**
 * What the service does with mails: it sends them, keeps them as files, or has no mail server. Null until it
 * is known.
 */
export function useMail(): Environment['mail'] | null {
  const { badge } = useSession();
  const environment = useLoaded('environment', (signal) => badge.getEnvironment({ signal }));
  return environment.status === 'loaded' ? environment.value.mail : null;
}
