import { isWebLink } from '../urls.ts';
import styles from './token-links.module.css';

/**
 * The links of a token. Creators write them, so only http and https links can be followed. Other texts are
 * shown as they are.
 */
export function TokenLinks({ links, label }: { links: readonly string[]; label: string }) {
  if (links.length === 0) return null;
  return (
    <ul className={`plain-list ${styles.links}`} aria-label={label}>
      {[...new Set(links)].map((link) => (
        <li key={link} dir="ltr">
          {isWebLink(link) ? (
            <a href={link} target="_blank" rel="noopener noreferrer nofollow ugc">
              {shortenLink(link)}
            </a>
          ) : (
            <bdi>{link}</bdi>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Shortens the text of a link. It begins with the host, so that a person sees where the link leads. */
function shortenLink(link: string): string {
  const { host, pathname, search, hash } = new URL(link);
  const rest = `${pathname === '/' ? '' : pathname}${search}${hash}`;
  return `${host}${rest.length > 40 ? `${rest.slice(0, 39)}…` : rest}`;
}
