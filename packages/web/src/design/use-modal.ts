import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

/**
 * Returns the ref of a `<dialog>` that is open as long as it is on the page, unless it is paused. When it is
 * gone, the focus is where it was.
 */
export function useModal(isPaused = false): RefObject<HTMLDialogElement | null> {
  const dialogRef = useRef<HTMLDialogElement>(null);
  // A dialog that is taken off the page while it is open loses the focus. Closing it gives the focus back,
  // and a layout effect ends before it is off the page.
  useLayoutEffect(() => {
    const dialog = dialogRef.current;
    return () => {
      dialog?.close();
      keepFocus();
    };
  }, []);
  useEffect(() => {
    const dialog = dialogRef.current;
    if (dialog === null) return;
    if (isPaused) dialog.close();
    else if (!dialog.open) dialog.showModal();
  }, [isPaused]);
  return dialogRef;
}

/**
 * Moves the focus to the page or the dialog below if what has it is gone, now or when the action has changed
 * the page: for example a row of a list.
 */
function keepFocus(): void {
  const focused = document.activeElement;
  const isLost = () => focused === null || focused === document.body || !focused.isConnected;
  const stop = () => {
    observer.disconnect();
    document.removeEventListener('focusin', stop);
  };
  const observer = new MutationObserver(() => {
    if (!isLost()) return;
    stop();
    if (document.activeElement !== document.body) return;
    // The dialog below, outside of which nothing can have the focus, or the page.
    const dialog = [...document.querySelectorAll<HTMLElement>('dialog[open]')].at(-1);
    (dialog ?? document.querySelector('main'))?.focus({ preventScroll: true });
  });
  observer.observe(document.body, { childList: true, subtree: true });
  // The person has gone on.
  document.addEventListener('focusin', stop);
}
