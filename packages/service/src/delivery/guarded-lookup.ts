import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;

/** Finds the addresses of a name. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<{ address: string; family: 4 | 6 }[]>;

/**
 * Returns how a connection finds the address of a name: it connects to the address that was checked. `check`
 * throws if a request must not be sent to an address.
 */
export function createGuardedLookup({
  resolve,
  check,
  signal,
}: {
  resolve: Resolve;
  check: (address: string) => void;
  signal: AbortSignal;
}): LookupFunction {
  return (name, options, callback) => {
    resolve(name, signal)
      .then((addresses) => {
        for (const { address } of addresses) check(address);
        const wanted = options.family === 4 || options.family === 6 ? options.family : undefined;
        const usable = addresses.filter(({ family }) => wanted === undefined || family === wanted);
        const [first] = usable;
        if (first === undefined) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
        if (options.all === true) callback(null, usable);
        else callback(null, first.address, first.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, []));
  };
}

/** Finds the addresses of a name with DNS. */
export async function resolveName(name: string, signal: AbortSignal): ReturnType<Resolve> {
  if (name === 'localhost' || name.endsWith('.localhost')) {
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
  }
  // Not dns.lookup(), whose calls wait for each other: two threads of the process make them all, so slow
  // names of one community would delay the others.
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [
    ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 as const })) : []),
    ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 as const })) : []),
  ];
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return addresses;
}
