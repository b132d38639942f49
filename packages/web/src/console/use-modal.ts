import { type RefObject, use, useEffect, useRef } from 'react';
import { SessionContext } from './session/session.ts';

/**
 * Returns the ref of a `<dialog>` that is open as long as it is on the page. While the sign-in is shown it is closed,
 * because an open one would block the sign-in although nobody sees it.
 */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialogRef = useRef<HTMLDialogElement>(null);
  // The dialog that asks whether to change the session is outside of it.
  const isPaused = use(SessionContext)?.isPaused ?? false;
  useEffect(() => {
    const dialog = dialogRef.current;
    if (dialog === null) return;
    if (isPaused) dialog.close();
    else if (!dialog.open) dialog.showModal();
  }, [isPaused]);
  return dialogRef;
}
