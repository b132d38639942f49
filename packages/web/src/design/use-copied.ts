import { useEffect, useState } from 'react';

/** Copies texts. `isCopied` is true for `showMs` after a text was copied. */
export function useCopied(showMs: number): { isCopied: boolean; copy: (text: string) => Promise<void> } {
  // A count instead of a boolean, because each copy changes it, and so restarts the timer.
  const [copies, setCopies] = useState(0);

  useEffect(() => {
    if (copies === 0) return;
    const timer = setTimeout(() => setCopies(0), showMs);
    return () => clearTimeout(timer);
  }, [copies, showMs]);

  async function copy(text: string): Promise<void> {
    // Browsers have a clipboard only on https and localhost. If the visitor denies access to it, nothing is
    // copied.
    await navigator.clipboard?.writeText(text).then(
      () => setCopies((count) => count + 1),
      () => {},
    );
  }

  return { isCopied: copies > 0, copy };
}
