import { afterAll, beforeAll } from 'vitest';
import { createMatrixFixture, type MatrixFixture } from './access-matrix-fixture.ts';
import { callRaw, type RawResponse } from './raw-calls.ts';
import { type RegisteredRoute, recordRoutes } from './record-routes.ts';
import { startTestService } from './services.ts';

type Init = Parameters<typeof callRaw>[2];

/** Starts a service with the fixture of the access matrix before the tests, and stops it after. */
export function accessBypassFixture() {
  let fixture: MatrixFixture;
  let routes: RegisteredRoute[];

  beforeAll(async () => {
    const recorded = await recordRoutes(() => startTestService());
    routes = recorded.routes;
    fixture = await createMatrixFixture(recorded.started);
  });
  afterAll(async () => {
    await fixture.service.stop();
  });

  const call = (path: string, init?: Init): Promise<RawResponse> => callRaw(fixture.service.url, path, init);

  return {
    get fixture() {
      return fixture;
    },
    get routes() {
      return routes;
    },
    call,
  };
}
