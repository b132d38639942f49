import type { Row } from './row.ts';

/** Rows to which nginx with deploy/nginx/badge.conf responds differently than the service does. */
export interface NginxRule {
  description: string;
  /** Matches `call: case` of these rows. */
  pattern: RegExp;
  /** As in `Row`. `both`: the connection stays open, so a second request gets a response too. */
  response: string | 'both';
  why: string;
}

const REJECTED = '400 InvalidRequest ?request';

export const NGINX_RULES: NginxRule[] = [
  {
    description: 'a path with `%` or `%zz` that is no escape, or with `%00`',
    pattern: /`[^`?]*%(00|zz|(?=[`/?.]))|^GET \/v1\/wallets\/:address\/tokens: a trailing NUL$/,
    response: REJECTED,
    why: 'nginx decodes the path',
  },
  {
    description: 'a path that leads out of the root with `..`',
    pattern: /`\/(metadata|status)\/\.\.%2f\.\.%2fetc|`\/\.\.\/\.\.\//,
    response: REJECTED,
    why: 'nginx resolves the path',
  },
  {
    description: 'no `Host`, more than one, or one that is not a host name',
    pattern: /`Host` headers$|the same `Host` twice|: no `Host`$|a `Host` that is not a host name/,
    response: REJECTED,
    why: 'RFC 9112, 3.2',
  },
  {
    description: '`Transfer-Encoding: gzip, chunked`',
    pattern: /`Transfer-Encoding: gzip, chunked`/,
    response: REJECTED,
    why: 'nginx knows only `chunked`',
  },
  {
    description: '`TRACE`, without an `Allow` header',
    pattern: /^TRACE /,
    response: '405 MethodNotAllowed',
    why: 'nginx rejects this method for every path',
  },
  {
    description: '`CONNECT`',
    pattern: /^CONNECT /,
    response: REJECTED,
    why: 'nginx is not a forward proxy',
  },
  {
    description:
      'an unknown method or a byte outside ASCII in the path: 400; line feeds without carriage returns: 200. The connection stays open',
    pattern: /: an unknown method$|a byte outside ASCII in the path$|line feeds without carriage returns$/,
    response: 'both',
    why: 'nginx and the service agree where each of these requests ends',
  },
];

/** Whether the suite runs through nginx. */
export const isBehindNginx = process.env.BADGE_BEHIND_NGINX === '1';

export function findNginxRule(row: Pick<Row, 'call' | 'case'>): NginxRule | undefined {
  return NGINX_RULES.find(({ pattern }) => pattern.test(`${row.call}: ${row.case}`));
}
