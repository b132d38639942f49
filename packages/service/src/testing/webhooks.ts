import { onTestFinished } from 'vitest';
import { startTestService, type TestService } from './services.ts';

export const WEBHOOKS = '/v1/communities/demo/webhooks';

/** A service of its own, for tests that change the age of everything. */
export async function startOwnService(env: Record<string, string> = {}): Promise<TestService> {
  const own = await startTestService(env);
  onTestFinished(() => own.stop());
  return own;
}
