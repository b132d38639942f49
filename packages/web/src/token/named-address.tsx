import { useEffect, useSyncExternalStore } from 'react';
import { badge } from '../api.ts';
import { Address } from '../design/address.tsx';

const MAX_ADDRESSES = 100;

// By address in lower case. Null: the service knows no name.
const names = new Map<string, string | null>();
const wanted = new Set<string>();
const listeners = new Set<() => void>();

/** An address with its ENS name before it, if the service knows one. */
export function NamedAddress(props: { value: string; hasCopyButton?: boolean }) {
  return <Address {...props} name={useEnsName(props.value)} />;
}

/**
 * Returns the ENS name of an address; null if the service knows none, does not resolve names, or could not be
 * asked. The addresses that a page shows together are asked for together, and each only once.
 */
export function useEnsName(address: string): string | null {
  const key = address.toLowerCase();
  useEffect(() => want(key), [key]);
  return useSyncExternalStore(subscribe, () => names.get(key) ?? null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function want(key: string): void {
  if (names.has(key)) return;
  names.set(key, null);
  wanted.add(key);
  if (wanted.size === 1) setTimeout(readWanted);
}

async function readWanted(): Promise<void> {
  const keys = [...wanted];
  wanted.clear();
  try {
    if (!(await badge.getEnvironment()).hasEns) return;
    for (let start = 0; start < keys.length; start += MAX_ADDRESSES) {
      const { items } = await badge.getEnsNames({ addresses: keys.slice(start, start + MAX_ADDRESSES) });
      for (const { address, name } of items) names.set(address.toLowerCase(), name);
    }
    for (const listener of listeners) listener();
  } catch {
    // The next visit of the page asks again.
    for (const key of keys) names.delete(key);
  }
}
