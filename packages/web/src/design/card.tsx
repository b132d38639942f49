import type { ComponentProps } from 'react';
import styles from './card.module.css';
import { joinClasses } from './join-classes.ts';

/** A framed part of a page. */
export function Card({ className, ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={joinClasses(styles.card, className)} />;
}
