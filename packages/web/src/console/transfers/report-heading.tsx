import { type ReactNode, useEffect, useRef } from 'react';
import { VisuallyHidden } from '../../design/visually-hidden.tsx';
import styles from '../give/give-page.module.css';

/** The heading of what is running or done. It takes the focus when it appears, and changes are announced. */
export function ReportHeading({ takesFocus, children }: { takesFocus: boolean; children: ReactNode }) {
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) headingRef.current?.focus();
  }, [takesFocus]);
  return (
    <>
      <h3 ref={headingRef} tabIndex={-1} className={styles.heading}>
        {children}
      </h3>
      <VisuallyHidden role="status">{children}</VisuallyHidden>
    </>
  );
}
