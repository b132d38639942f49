import { useEffect } from 'react';

/** Sets the title of the window, followed by the name of the product. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Badge' : `${title} · Badge`;
  }, [title]);
}
