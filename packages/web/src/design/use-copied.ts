import { useEffect, useState } from 'react';

/** Copies texts. `isCopied` is true for `showMs` after a text was copied. */
export function useCopied(showMs: number): { isCopied: boolean; copy: (text: string) => Promise<void> } {
  // The number of copies while `isCopied` is true. It changes with each copy, so that each copy restarts the timer.
  const [copies, setCopies] = useState(0);

  useEffect(() => {
    if (copies === 0) return;
    const timer = setTimeout(() => setCopies(0), showMs);
    return () => clearTimeout(timer);
  }, [copies, showMs]);

  async function copy(text: string): Promise<void> {
    // Browsers have a clipboard only on https and localhost.
    await navigator.clipboard?.writeText(text).then(
      () => setCopies((count) => count + 1),
      () => {},
    );
  }

  return { isCopied: copies > 0, copy };
}
