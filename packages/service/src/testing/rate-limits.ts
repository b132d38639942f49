import { onTestFinished } from 'vitest';
import { startTestService, type TestService } from './services.ts';

export async function start(env: Record<string, string>): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(service.stop);
  return service;
}

/**
 * Sends enough concurrent requests to exceed the quota even if a slow machine spreads them over several
 * windows.
 */
export async function flood(send: () => Promise<Response>, count = 40): Promise<Response[]> {
  return await Promise.all(Array.from({ length: count }, send));
}

export const isLimited = ({ status }: Response) => status === 429;
export const read = (service: TestService, headers = {}) => service.call('/v1/environment', { headers });
export const readWithKey = (service: TestService, key = service.apiKey) =>
  service.call('/v1/communities/demo/nftTypes', { key });
