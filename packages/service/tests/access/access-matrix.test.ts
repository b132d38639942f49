import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../src/domain/api-keys/rules.ts';
import { HEALTH_ROWS, PRODUCTION_ROWS, ROWS, type Row } from '../../src/testing/access-matrix.ts';
import {
  accessMatrixChecks,
  NAMED_ROWS,
  ONE_DEFECT,
  REFUSABLE_ROWS,
  send,
} from '../../src/testing/access-matrix-checks.ts';
import { createKeys, listRoles, METRICS_KEY, type Role } from '../../src/testing/access-matrix-roles.ts';
import { callRaw } from '../../src/testing/raw-calls.ts';
import { type RegisteredRoute, recordRoutes } from '../../src/testing/record-routes.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const matrix = accessMatrixChecks();
const { rolesFor, oneRolePerOutcome, expectRefusals, expectAcceptance } = matrix;

// All other methods get 405. One of them stands for all.
const TRIED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];
// The documentation and the route of all preflight requests return 404.
const WITHOUT_405 = /^\/(docs(\/.*)?|openapi\.json|v1\*)$/;
const CONTRACT = '0x2000000000000000000000000000000000000002';

let production: TestService;
let productionRoles: Role[];
let worker: TestService;
let workerRoutes: RegisteredRoute[];

// A service does not start if `deployment` says that the database belongs to the other environment. These
// tests use one database for both environments.
const deleteDeployment = (databaseUrl: string) => query(databaseUrl, 'delete from deployment');

beforeAll(async () => {
  const { databaseUrl, adminKey, dataDir } = matrix.fixture.service;
  const sharedEnv = {
    DATABASE_URL: databaseUrl,
    BADGE_ADMIN_KEY: adminKey,
    BADGE_METRICS_KEY: METRICS_KEY,
    BADGE_ENCRYPTION_KEY_FILE: join(dataDir, 'encryption-key'),
  };
  await deleteDeployment(databaseUrl);
  production = await startTestService({
    ...sharedEnv,
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: CONTRACT,
    BADGE_RATE_LIMIT: 'off',
  });
  const productionKeys = await createKeys(production);
  productionRoles = listRoles({ ...productionKeys, otherEnvironment: matrix.fixture.keys.right });
  await deleteDeployment(databaseUrl);
  const recordedWorker = await recordRoutes(() => startTestService({ ...sharedEnv, BADGE_ROLE: 'worker' }));
  worker = recordedWorker.started;
  workerRoutes = recordedWorker.routes;
});
afterAll(async () => {
  await Promise.all([worker, production].map((service) => service.stop()));
});

/** Returns the method and the path pattern of a route, as in `Row.route`. */
const nameOf = ({ method, url }: RegisteredRoute) => `${method} ${url}`;
const fillParameters = (url: string) => url.replaceAll(/:\w+/g, '1').replaceAll('*', 'x');
/** Whether a route is in the rows. Fastify adds a HEAD route to each GET route. Both have the same row. */
const hasRow = (rows: Row[], route: RegisteredRoute) =>
  rows.some((row) => row.route === nameOf(route).replace(/^HEAD /, 'GET '));

test('every route has a row', () => {
  expect(matrix.routes.length).toBeGreaterThan(100);
  const withoutRow = matrix.routes.filter((route) => !hasRow(ROWS, route)).map(nameOf);
  expect(withoutRow, 'add rows to testing/access-matrix.ts').toEqual([]);
});

test('the other methods of every path return 405, with and without a key', async () => {
  const paths = new Set(matrix.routes.map(({ url }) => url).filter((url) => !WITHOUT_405.test(url)));
  const tried = [...paths].flatMap((url) => {
    const known = new Set(matrix.routes.filter((route) => route.url === url).map(({ method }) => method));
    return TRIED_METHODS.filter((method) => !known.has(method)).map((method) => ({ method, url }));
  });
  expect(tried.length).toBeGreaterThan(300);
  for (const headers of [{}, { 'X-API-Key': matrix.fixture.keys.operator }]) {
    for (let start = 0; start < tried.length; start += 10) {
      await Promise.all(
        tried.slice(start, start + 10).map(async ({ method, url }) => {
          const { status } = await callRaw(matrix.fixture.service.url, fillParameters(url), {
            method,
            headers,
          });
          expect(status, `${method} ${url}`).toBe(405);
        }),
      );
    }
  }
});

test('every row has a route', () => {
  const names = new Set(matrix.routes.map(nameOf));
  expect(ROWS.map(({ route }) => route).filter((route) => !names.has(route))).toEqual([]);
});

/**
 * Returns the roles that stand for all. How a key is sent does not depend on the route, so all ways are tried
 * with the first row of each access. With the others, the lowest allowed and the highest refused role of the
 * community are tried, as key and as session, and one of the other roles per outcome.
 */
function typicalRoles(row: Row): Role[] {
  const roles = rolesFor(row);
  if (row === ROWS.find(({ access }) => access === row.access)) return roles;
  const isAllowed = ({ outcomes }: Role) => outcomes[row.access] === 'allowed';
  return [
    ...(['key', 'session'] as const).flatMap((kind) => {
      const ofKind = roles.filter(({ roleOf }) => roleOf === kind);
      const boundary = [ofKind.find(isAllowed), ofKind.findLast((role) => !isAllowed(role))];
      return boundary.filter((role) => role !== undefined);
    }),
    ...oneRolePerOutcome(
      row,
      roles.filter(({ roleOf }) => roleOf === undefined),
    ),
  ];
}

describe.each(REFUSABLE_ROWS)('%s', (_name, row) => {
  test('rejects roles without access and defective requests, and changes no data', async () => {
    await expectRefusals(row, ONE_DEFECT, typicalRoles(row), oneRolePerOutcome(row));
  });
});

describe.each(NAMED_ROWS)('%s', (_name, row) => {
  test('accepts the allowed roles', async () => {
    // A public route does not read the key, so two of the roles stand for all.
    const roles =
      row.access === 'public'
        ? rolesFor(row).filter(({ role }) => ['no key', 'an unknown key'].includes(role))
        : typicalRoles(row);
    await expectAcceptance(row, roles);
  });
});

describe('in production', () => {
  test.each(PRODUCTION_ROWS)(
    '$route accepts only the right keys, and rejects those of the sandbox',
    async (row) => {
      for (const role of productionRoles) {
        const { outcome } = await send(production, 'GET', role, await row.request(matrix.fixture));
        const expected = role.outcomes[row.access];
        expect([role.role, outcome]).toEqual([role.role, expected === 'allowed' ? row.status : expected]);
      }
    },
  );
});

test('two keys of the operator and of the metrics are valid at the same time, also in a worker', async () => {
  const operatorKeys = [makeKey('admin'), makeKey('admin')];
  const metricsKeys = [METRICS_KEY, 'another-metrics-key-0123'];
  const env = {
    DATABASE_URL: production.databaseUrl,
    BADGE_ADMIN_KEY: operatorKeys.join('\n'),
    BADGE_METRICS_KEY: metricsKeys.join(' '),
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: CONTRACT,
    BADGE_RATE_LIMIT: 'off',
  };
  await deleteDeployment(production.databaseUrl);
  const api = await startTestService({ ...env, BADGE_ROLE: 'api' });
  const productionWorker = await startTestService({ ...env, BADGE_ROLE: 'worker' });
  const statusOf = async ({ call }: TestService, path: string, key: string) =>
    (await call(path, { key })).status;
  for (const service of [api, productionWorker]) {
    for (const key of [...operatorKeys, ...metricsKeys])
      expect(await statusOf(service, '/metrics', key)).toBe(200);
    expect((await service.call('/metrics')).status).toBe(401);
    expect(await statusOf(service, '/metrics', METRICS_KEY.slice(1))).toBe(401);
    expect(await statusOf(service, '/metrics', operatorKeys.join('\t'))).toBe(401);
  }
  for (const key of operatorKeys) expect(await statusOf(api, '/v1/communities', key)).toBe(200);
  for (const key of metricsKeys) expect(await statusOf(api, '/v1/communities', key)).toBe(401);
  await Promise.all([api, productionWorker].map((service) => service.stop()));
});

describe('a worker', () => {
  test('has only the health routes', () => {
    expect(workerRoutes.filter((route) => !hasRow(HEALTH_ROWS, route))).toEqual([]);
    expect(new Set(workerRoutes.map(({ url }) => url))).toEqual(new Set(['/healthz', '/readyz', '/metrics']));
  });

  test("returns 404 for every other path, even with the operator's key", async () => {
    for (const row of ROWS) {
      const [method = '', url = ''] = row.route.split(' ');
      const headers = { 'X-API-Key': matrix.fixture.keys.operator };
      const { status } = await callRaw(worker.url, fillParameters(url), { method, headers });
      expect([row.route, status]).toEqual([row.route, HEALTH_ROWS.includes(row) ? 200 : 404]);
    }
  });
});

test("the metrics of a production worker require the operator's key", async () => {
  const { databaseUrl, adminKey } = matrix.fixture.service;
  await deleteDeployment(databaseUrl);
  const productionWorker = await startTestService({
    DATABASE_URL: databaseUrl,
    BADGE_ADMIN_KEY: adminKey,
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: CONTRACT,
    BADGE_ROLE: 'worker',
  });
  const statuses: number[] = [];
  for (const key of ['', matrix.fixture.keys.right, adminKey]) {
    statuses.push((await productionWorker.call('/metrics', { headers: { 'X-API-Key': key } })).status);
  }
  await productionWorker.stop();
  expect(statuses).toEqual([401, 401, 200]);
});

test('preflight responses are the same for existing and for missing resources', async () => {
  const sendPreflight = async (path: string) => {
    const { status, headers, body } = await callRaw(matrix.fixture.service.url, path, { method: 'OPTIONS' });
    return { status, body, headers: { ...headers, 'x-request-id': '', date: '' } };
  };
  const response = await sendPreflight('/v1/communities/demo/apiKeys');
  expect(response).toMatchObject({ status: 204, body: '' });
  for (const path of ['/v1/communities/nobody/apiKeys', `/v1/operations/${randomUUID()}`, '/v1/nothing']) {
    expect(await sendPreflight(path)).toEqual(response);
  }
});
