import { signedToken } from '@badge/test-support/signing';
import { afterAll, beforeAll } from 'vitest';
import { postToken, readOperation } from './creations.ts';
import { startTestService, type TestService } from './services.ts';

/** Starts a service with an open and an allowlisted token before the tests, and stops it after. */
export function tokenFiltersFixture() {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
    const allowlisted = { isAllowlistRequired: true, totalClaimCount: null, contributors: ['a@b.c'] };
    for (const fields of [{}, allowlisted]) {
      const response = await postToken(service, await signedToken(fields));
      await readOperation(service, response.headers.get('location') ?? '');
    }
  });
  afterAll(() => service.stop());

  return {
    get service() {
      return service;
    },
  };
}
