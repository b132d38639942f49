import { useEffect } from 'react';

/** Sets the title of the window to the title of a page and the name of the product; only to the name if the title is `""`. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Badge' : `${title} · Badge`;
  }, [title]);
}
