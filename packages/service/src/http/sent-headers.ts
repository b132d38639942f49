import type { FastifyRequest } from 'fastify';

/** How often a header was sent; the name in lower case. Node itself keeps one value of some headers, and joins others. */
export function countHeader({ raw: { rawHeaders } }: FastifyRequest, name: string): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length;
}
