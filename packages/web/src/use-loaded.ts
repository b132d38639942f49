import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * The state of a read from the service. A value that has been read stays during a reload, even if the reload
 * fails.
 */
export type Loaded<T> =
  | { status: 'loading'; reload: () => void }
  | { status: 'loaded'; value: T; reload: () => void }
  | { status: 'failed'; error: unknown; reload: () => void };

type Result<T> = { key: string; isFailed: false; value: T } | { key: string; isFailed: true; error: unknown };

/**
 * Reads something when the component appears, when `key` changes and after `reload()`. The key names what is
 * read, such as `token/7`. The signal is aborted when the result is no longer needed.
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => PromiseLike<T>): Loaded<T> {
  const [result, setResult] = useState<Result<T>>();
  const [reloadCount, setReloadCount] = useState(0);
  // `load` is a new function at each render. In a ref, it does not make the effect run again.
  const loadRef = useRef(load);
  loadRef.current = load;
  const reload = useCallback(() => {
    // After a failure the state is `loading` again, so that a person who presses "Try again" sees that
    // something happens.
    setResult((last) => (last?.isFailed ? undefined : last));
    setReloadCount((count) => count + 1);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `reload()` makes the effect read again.
  useEffect(() => {
    const controller = new AbortController();
    loadRef.current(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setResult({ key, isFailed: false, value });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        // A failed reload keeps the value that was read before.
        setResult((last) => (last?.key === key && !last.isFailed ? last : { key, isFailed: true, error }));
      },
    );
    return () => controller.abort();
  }, [key, reloadCount]);

  if (result === undefined || result.key !== key) return { status: 'loading', reload };
  if (result.isFailed) return { status: 'failed', error: result.error, reload };
  return { status: 'loaded', value: result.value, reload };
}

/** Calls `reload` whenever `count` goes up. */
export function useReloadOn(count: number, reload: () => void): void {
  useEffect(() => {
    if (count > 0) reload();
  }, [count, reload]);
}

/** Calls `reload` whenever the visitor comes back to the page, for example from another tab. */
export function useReloadWhenShown(reload: () => void): void {
  useEffect(() => {
    const reloadIfVisible = () => {
      if (document.visibilityState === 'visible') reload();
    };
    document.addEventListener('visibilitychange', reloadIfVisible);
    return () => document.removeEventListener('visibilitychange', reloadIfVisible);
  }, [reload]);
}
