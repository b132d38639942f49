import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { afterEach, expect, vi } from 'vitest';
import { startTestService, type TestService } from './services.ts';

export const readReadiness = async (service: TestService) => {
  const response = await service.call('/readyz');
  return { httpStatus: response.status, ...((await response.json()) as object) };
};
export const waitForReadiness = (service: TestService, state: object) =>
  vi.waitFor(async () => expect(await readReadiness(service)).toMatchObject(state), WAIT_OPTIONS);
export const READY = { httpStatus: 200, status: 'ready' };

/** Returns functions that start services and read their readiness. The services stop after each test. */
export function readinessFixture() {
  const services: TestService[] = [];
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
  });

  async function start(env: Record<string, string> = {}): Promise<TestService> {
    const service = await startTestService({ BADGE_ROLE: 'api', ...env });
    services.push(service);
    return service;
  }

  return {
    services,
    start,
  };
}
