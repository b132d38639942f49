import type { Config } from '../config.ts';
import { type Finding, ok, warning } from './finding.ts';

const LOOPBACK = /^(127\.|localhost$|::1$)/;

/** What is allowed to be configured, and mostly is a mistake. */
export function checkConfiguration(config: Config): Finding[] {
  const { environment, host, publicUrl, rateLimit, trustProxy } = config;
  const findings: Finding[] = [];
  const isOpen = !LOOPBACK.test(host);
  const isServing = config.role !== 'worker';
  if (isServing && environment === 'production' && !publicUrl?.startsWith('https:')) {
    findings.push(
      warning(
        'PUBLIC_URL',
        `${publicUrl ?? 'not set'}, in production`,
        'set it to the https address that others use: it stands in answers',
      ),
    );
  } else if (isServing && isOpen && publicUrl === undefined) {
    findings.push(
      warning(
        'PUBLIC_URL',
        `not set, while HOST=${host} listens beyond this machine`,
        'set it to the address that others use: URLs in answers begin with http://localhost',
      ),
    );
  }
  if (isServing && isOpen && rateLimit !== null && trustProxy.length === 0) {
    findings.push(
      warning(
        'BADGE_TRUST_PROXY',
        `not set, while HOST=${host} listens beyond this machine`,
        "behind a proxy, name it: else everybody shares the proxy's rate limit",
      ),
    );
  }
  if (isServing && environment === 'production' && rateLimit === null) {
    findings.push(warning('BADGE_RATE_LIMIT', 'off, in production', 'remove it, or set KEY/ADDRESS'));
  }
  if (findings.length > 0) return findings;
  return [ok('configuration', `${environment}, role ${config.role}, chain ${config.chainId}`)];
}
