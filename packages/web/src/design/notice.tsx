import type { ReactNode } from 'react';
import { CheckIcon, InfoIcon, WarningIcon } from './icons.tsx';
import { joinClasses } from './join-classes.ts';
import styles from './notice.module.css';

const ICONS = { info: InfoIcon, success: CheckIcon, warning: WarningIcon, error: WarningIcon };

interface NoticeProps {
  tone: keyof typeof ICONS;
  title?: ReactNode;
  children?: ReactNode;
  /** Buttons below the text: what to do next. */
  actions?: ReactNode;
  /** Whether screen readers announce it when it appears. Errors are announced at once. */
  isLive?: boolean;
}

/** A message about the state of something, with what to do next. */
export function Notice({ tone, title, children, actions, isLive = false }: NoticeProps) {
  const Icon = ICONS[tone];
  const liveRole = tone === 'error' ? 'alert' : 'status';
  return (
    <div className={joinClasses(styles.notice, styles[tone])} role={isLive ? liveRole : undefined}>
      <span className={styles.icon}>
        <Icon />
      </span>
      <div className={styles.content}>
        {title !== undefined && <p className={styles.title}>{title}</p>}
        {children !== undefined && <div>{children}</div>}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
    </div>
  );
}
