import { type Config, isReachable } from '../config.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Finds settings that are valid but usually a mistake. */
export function inspectConfiguration(config: Config): Finding[] {
  const { environment, host, publicUrl, rateLimit, trustProxy } = config;
  const findings: Finding[] = config.unknownVariables.map(({ name, nearest }) =>
    warning(
      name,
      'is not a variable of the service, and has no effect',
      nearest === null ? 'remove it' : `correct it to ${nearest}, or remove it`,
    ),
  );
  const hasApi = config.role !== 'worker';
  if (hasApi && environment === 'production' && !publicUrl?.startsWith('https:')) {
    findings.push(
      warning(
        'PUBLIC_URL',
        `${publicUrl ?? 'not set'}, in production`,
        'set it to the https URL that clients use; responses contain it',
      ),
    );
  } else if (hasApi && isReachable(config) && publicUrl === undefined) {
    findings.push(
      warning(
        'PUBLIC_URL',
        `not set, but HOST=${host} is reachable from other machines`,
        'set it to the URL that clients use; without it, URLs in responses begin with http://localhost',
      ),
    );
  }
  if (hasApi && isReachable(config) && rateLimit !== null && trustProxy.length === 0) {
    findings.push(
      warning(
        'BADGE_TRUST_PROXY',
        `not set, but HOST=${host} is reachable from other machines`,
        "put nginx with deploy/nginx/badge.conf in front, and set its address; without it, all clients share the proxy's rate limit",
      ),
    );
  }
  if (hasApi && environment === 'production' && rateLimit === null) {
    findings.push(
      warning(
        'BADGE_RATE_LIMIT',
        'off, in production',
        'remove it, or set it to the requests per second of a key and of an address, such as 100/50',
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [ok('configuration', `${environment}, role ${config.role}, chain ${config.chainId}`)];
}
