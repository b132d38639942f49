import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { Notice } from '../design/notice.tsx';
import styles from './made-notice.module.css';

/** What the page that made a badge tells the next page. */
export interface MadeState {
  madeHeadline: string;
  /** Whether it corrects another badge. */
  isCorrected: boolean;
  /** Whether the badge is for people who are added next, on a list or with a link. */
  isForList: boolean;
}

/** Says that a badge has just been made. Only once: neither a reload nor the next page says it again. */
export function MadeNotice() {
  const { t } = useTranslation('console');
  const state = useHistoryState<Partial<MadeState> | null>();
  const [path] = useLocation();
  const [firstPath] = useState(path);
  const [{ madeHeadline, isCorrected, isForList }] = useState(state ?? {});
  useEffect(() => {
    // The field for the list still needs the rest.
    if (madeHeadline !== undefined) history.replaceState({ isForList }, '');
  }, [madeHeadline, isForList]);
  if (madeHeadline === undefined || path !== firstPath) return null;
  return (
    <div className={styles.notice}>
      <Notice tone="success" isLive>
        {t(isCorrected ? 'make.corrected' : 'make.made', { headline: madeHeadline })}
      </Notice>
    </div>
  );
}
