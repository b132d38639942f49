import { useEffect, useState } from 'react';

/** Copies texts. `isCopied` is true for `showMs` after a text was copied. */
export function useCopied(showMs: number): { isCopied: boolean; copy: (text: string) => Promise<void> } {
  const [isCopied, setIsCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), showMs);
    return () => clearTimeout(timer);
  }, [isCopied, showMs]);

  async function copy(text: string): Promise<void> {
    // Browsers allow it only on https and localhost.
    await navigator.clipboard?.writeText(text).then(
      () => setIsCopied(true),
      () => {},
    );
  }

  return { isCopied, copy };
}
