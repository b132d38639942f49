import { useEffect } from 'react';

/** Sets the title of the window, such as `Speaker 2026 · Badge`. It is `Badge` if `title` is empty. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Badge' : `${title} · Badge`;
  }, [title]);
}
