import { type RefObject, useEffect, useRef } from 'react';
import { useSession } from './session/session.ts';

/**
 * Returns the ref of a `<dialog>` that is open as long as it is on the page. While the sign-in is shown it is closed,
 * because an open one would block the sign-in although nobody sees it.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialogRef = useRef<HTMLDialogElement>(null);
  const { isPaused } = useSession();
  useEffect(() => {
    const dialog = dialogRef.current;
    if (dialog === null) return;
    if (isPaused) dialog.close();
    else if (!dialog.open) dialog.showModal();
  }, [isPaused]);
  return dialogRef;
}
