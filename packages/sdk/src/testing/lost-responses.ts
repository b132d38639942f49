import { type ChunkFilter, startTcpProxy } from '@badge/test-support/tcp-proxy';
import { onTestFinished } from 'vitest';
import { startTestService } from '../../../service/src/testing/services.ts';
import { type BadgeClient, type BadgeClientOptions, createBadgeClient, type NewToken } from '../index.ts';

export const OPEN: NewToken = {
  communityId: 'demo',
  headline: 'Speaker 2026',
  nftTypeId: 'defaultOrangeRed',
  totalClaimCount: 10,
};

/** Starts a service, a proxy in front of it, and a client that uses the proxy. */
export async function startBehindProxy(
  options: Partial<BadgeClientOptions> = {},
  { createFilter }: { createFilter?: () => ChunkFilter } = {},
) {
  const service = await startTestService();
  const proxy = await startTcpProxy(
    { host: '127.0.0.1', port: Number(new URL(service.url).port) },
    createFilter,
  );
  onTestFinished(async () => {
    await proxy.stop();
    await service.stop();
  });
  const badge = createBadgeClient({
    url: `http://127.0.0.1:${proxy.port}`,
    apiKey: service.apiKey,
    ...options,
  });
  return { badge, proxy, service };
}

/**
 * Ends the connection instead of passing on a response with this status, if `isLost` returns true for its
 * number. The first response with this status has the number 1.
 */
export function loseResponses(status: number, isLost: (number: number) => boolean) {
  const lost = { count: 0 };
  let responses = 0;
  const createFilter = (): ChunkFilter => (chunk, from) => {
    if (from === 'client' || !chunk.toString().startsWith(`HTTP/1.1 ${status} `)) return true;
    responses += 1;
    if (!isLost(responses)) return true;
    lost.count += 1;
    return false;
  };
  return { lost, createFilter };
}

export async function countTokens(badge: BadgeClient): Promise<number> {
  const { data } = await badge.listTokens({ limit: 1_000 });
  return data.length;
}
