import type { AroundNavHandler } from 'wouter';

/**
 * Lets the browser load the page if a link leads to `/verify`, or away from it. This page may read files of
 * other sites, and no other page may: a security policy belongs to the HTML that was loaded.
 */
export const keepPolicy: AroundNavHandler = (navigate, to, options) => {
  const isVerify = (path: string) => /^\/verify\/?$/.test(path);
  if (isVerify(location.pathname) === isVerify(new URL(to, location.href).pathname)) navigate(to, options);
  else location.assign(to);
};
