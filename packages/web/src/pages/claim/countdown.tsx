import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../formats.ts';
import styles from './claim-panel.module.css';

// Pages that were opened together must not ask together.
const MAX_DELAY_MS = 3_000;

/**
 * Says from when a badge can be claimed, and how long it is until then. Loads the page again at this time. If
 * it was over already when the page was opened, the clock of this device is fast, and the person tries again.
 */
export function Countdown({ until }: { until: number }) {
  const { t } = useTranslation();
  const { dateTime, remaining } = useFormats();
  const [leftMs, setLeftMs] = useState(until - Date.now());
  const isOver = leftMs <= 0;
  const [wasOver] = useState(isOver);
  useEffect(() => {
    if (isOver) {
      if (wasOver) return;
      const timer = setTimeout(() => location.reload(), Math.random() * MAX_DELAY_MS);
      return () => clearTimeout(timer);
    }
    const timer = setInterval(() => setLeftMs(until - Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [until, isOver, wasOver]);
  return (
    <div className={styles.stack}>
      <p>{t('claim.countdown.from', { date: dateTime(until) })}</p>
      {!isOver && <p role="timer">{t('claim.countdown.left', { time: remaining(leftMs) })}</p>}
    </div>
  );
}
