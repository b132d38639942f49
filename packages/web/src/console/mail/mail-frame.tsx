import { useState } from 'react';
import styles from './mail.module.css';
import { splitMailHtml } from './split-mail-html.ts';

interface MailFrameProps {
  html: string;
  title: string;
  /** Whether its links open, in a new tab. Those of an example lead nowhere. */
  hasLinks: boolean;
}

/**
 * The HTML of a mail, in a frame in which nothing runs. The frame has the origin of the page, so that the
 * page can fill it: the frame itself has the security policy of the page, which allows no inline style.
 */
export function MailFrame({ html, title, hasLinks }: MailFrameProps) {
  const [height, setHeight] = useState<number | null>(null);

  function fill(frame: HTMLIFrameElement): void {
    const { contentDocument: target, contentWindow } = frame;
    if (target === null || contentWindow === null) return;
    const mail = splitMailHtml(html);
    const parsed = new DOMParser().parseFromString(mail.html, 'text/html');
    for (const link of parsed.links) {
      if (hasLinks) {
        link.target = '_blank';
        link.rel = 'noopener';
      } else link.removeAttribute('href');
    }
    target.replaceChild(target.adoptNode(parsed.documentElement), target.documentElement);
    for (const element of target.querySelectorAll<HTMLElement>('[data-style]')) {
      element.style.cssText = element.dataset.style ?? '';
    }
    const sheet = new (contentWindow as Window & typeof globalThis).CSSStyleSheet();
    sheet.replaceSync(mail.css);
    target.adoptedStyleSheets = [sheet];
    const measure = () => setHeight(target.documentElement.scrollHeight);
    measure();
    for (const image of target.images) image.addEventListener('load', measure);
  }

  return (
    <iframe
      className={styles.frame}
      title={title}
      // Without `allow-scripts`, nothing in the frame runs.
      sandbox={
        hasLinks ? 'allow-same-origin allow-popups allow-popups-to-escape-sandbox' : 'allow-same-origin'
      }
      srcDoc="<!doctype html><title></title>"
      style={height === null ? undefined : { blockSize: height }}
      onLoad={(event) => fill(event.currentTarget)}
    />
  );
}
