import { randomUUID } from 'node:crypto';
import { ERRORS, type ErrorName } from '@badge/protocol';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../domain/api-keys/rules.ts';
import { HEALTH_ROWS, PRODUCTION_ROWS, ROWS, type Row, type RowRequest } from '../testing/access-matrix.ts';
import { createMatrixFixture, type MatrixFixture, waitForSuccess } from '../testing/access-matrix-fixture.ts';
import { createKeys, listRoles, METRICS_KEY, type Role } from '../testing/access-matrix-roles.ts';
import { hashData } from '../testing/hash-data.ts';
import { callRaw } from '../testing/raw-calls.ts';
import { type RegisteredRoute, recordRoutes } from '../testing/record-routes.ts';
import { startTestService, type TestService } from '../testing/services.ts';

// All other methods get 405. One of them stands for all.
const TRIED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];
// The documentation and the route of all preflight requests return 404.
const WITHOUT_405 = /^\/(docs(\/.*)?|openapi\.json|v1\*)$/;
const CONTRACT = '0x2000000000000000000000000000000000000002';

let fixture: MatrixFixture;
let routes: RegisteredRoute[];
let production: TestService;
let productionRoles: Role[];
let worker: TestService;
let workerRoutes: RegisteredRoute[];

// A service does not start if `deployment` says that the database belongs to the other environment. These tests use one
// database for both environments.
const deleteDeployment = (databaseUrl: string) => query(databaseUrl, 'delete from deployment');

beforeAll(async () => {
  const recorded = await recordRoutes(() => startTestService({ BADGE_METRICS_KEY: METRICS_KEY }));
  routes = recorded.routes;
  fixture = await createMatrixFixture(recorded.started);
  const { databaseUrl, adminKey } = recorded.started;
  const sharedEnv = { DATABASE_URL: databaseUrl, BADGE_ADMIN_KEY: adminKey, BADGE_METRICS_KEY: METRICS_KEY };
  await deleteDeployment(databaseUrl);
  production = await startTestService({
    ...sharedEnv,
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: CONTRACT,
    BADGE_RATE_LIMIT: 'off',
  });
  const productionKeys = await createKeys(production);
  productionRoles = listRoles({ ...productionKeys, otherEnvironment: fixture.keys.right });
  await deleteDeployment(databaseUrl);
  const recordedWorker = await recordRoutes(() => startTestService({ ...sharedEnv, BADGE_ROLE: 'worker' }));
  worker = recordedWorker.started;
  workerRoutes = recordedWorker.routes;
});
afterAll(async () => {
  await Promise.all([worker, production].map((service) => service.stop()));
  await fixture.service.stop();
});

/** Returns the method and the path pattern of a route, as in `Row.route`. */
const nameOf = ({ method, url }: RegisteredRoute) => `${method} ${url}`;
const fillParameters = (url: string) => url.replaceAll(/:\w+/g, '1').replaceAll('*', 'x');
/** Whether a route is in the rows. Fastify adds a HEAD route to each GET route. Both have the same row. */
const hasRow = (rows: Row[], route: RegisteredRoute) =>
  rows.some((row) => row.route === nameOf(route).replace(/^HEAD /, 'GET '));

test('every route has a row', () => {
  expect(routes.length).toBeGreaterThan(100);
  const withoutRow = routes.filter((route) => !hasRow(ROWS, route)).map(nameOf);
  expect(withoutRow, 'add rows to testing/access-matrix.ts').toEqual([]);
});

test('the other methods of every path return 405, with and without a key', async () => {
  const paths = new Set(routes.map(({ url }) => url).filter((url) => !WITHOUT_405.test(url)));
  const tried = [...paths].flatMap((url) => {
    const known = new Set(routes.filter((route) => route.url === url).map(({ method }) => method));
    return TRIED_METHODS.filter((method) => !known.has(method)).map((method) => ({ method, url }));
  });
  expect(tried.length).toBeGreaterThan(300);
  for (const headers of [{}, { 'X-API-Key': fixture.keys.operator }]) {
    for (let start = 0; start < tried.length; start += 10) {
      await Promise.all(
        tried.slice(start, start + 10).map(async ({ method, url }) => {
          const { status } = await callRaw(fixture.service.url, fillParameters(url), { method, headers });
          expect(status, `${method} ${url}`).toBe(405);
        }),
      );
    }
  }
});

test('every row has a route', () => {
  const names = new Set(routes.map(nameOf));
  expect(ROWS.map(({ route }) => route).filter((route) => !names.has(route))).toEqual([]);
});

/** Returns the roles with which the requests of a row are sent. */
const rolesFor = (row: Row) =>
  listRoles(fixture.keys).filter(({ roleOf }) => row.access !== 'public' || roleOf === undefined);

/** Returns one role for each outcome that the roles have for a row. */
const oneRolePerOutcome = (row: Row, roles = rolesFor(row)) => [
  ...new Map(roles.map((role) => [role.outcomes[row.access], role])).values(),
];

/**
 * Returns the roles that stand for all. How a key is sent does not depend on the route, so all ways are tried with the first row
 * of each access. With the others, the lowest allowed and the highest refused role of the community are tried, as key and as
 * session, and one of the other roles per outcome.
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

/** What is wrong with a request: its body is malformed, it contains an unknown id, or its signature is forged. */
type Defect = 'malformed' | 'unknown' | 'forged';

const ONE_DEFECT: Defect[][] = [[], ['malformed'], ['unknown'], ['forged']];
const TWO_DEFECTS: Defect[][] = [
  ['malformed', 'unknown'],
  ['unknown', 'forged'],
];

/** Whether the row describes a request with these defects. */
const areApplicable = ({ unknown, forged }: Row, { json, form }: RowRequest, defects: Defect[]) =>
  (!defects.includes('malformed') || json !== undefined || form !== undefined) &&
  (!defects.includes('unknown') || unknown !== undefined) &&
  (!defects.includes('forged') || forged !== undefined);

/** Returns the first error of a request in the order of the checks, or null if the request is allowed. */
function firstRefusal(row: Row, role: Role, defects: Defect[], isForm: boolean): ErrorName | null {
  const outcome = role.outcomes[row.access];
  const keyRefusal = outcome === 'allowed' ? null : outcome;
  // Some keys are rejected only when the token or the community is known.
  const isKeyRefusalLate =
    keyRefusal === 'ApiKeyOrSignatureRequired' ||
    keyRefusal === 'RoleNotAllowed' ||
    (keyRefusal === 'ApiKeyNotAllowed' && row.access !== 'operator' && row.access !== 'session');
  const bodyRefusal = defects.includes('malformed') ? 'InvalidRequest' : null;
  const unknownRefusal = defects.includes('unknown') ? (row.unknown?.refusal ?? null) : null;
  const earlyKeyRefusal = isKeyRefusalLate ? null : keyRefusal;
  const lateKeyRefusal = isKeyRefusalLate ? keyRefusal : null;
  const signatureRefusal = defects.includes('forged') ? (row.forged?.refusal ?? null) : null;
  // A form is long, so it is read after all other checks.
  const order: (ErrorName | null)[] = isForm
    ? [earlyKeyRefusal, unknownRefusal, lateKeyRefusal, bodyRefusal]
    : [earlyKeyRefusal, bodyRefusal, unknownRefusal, lateKeyRefusal, signatureRefusal];
  return order.find((refusal) => refusal !== null) ?? null;
}

function applyDefects(request: RowRequest, row: Row, defects: Defect[]): RowRequest & { body?: string } {
  const changed: RowRequest & { body?: string } = { ...request };
  for (const change of [
    defects.includes('unknown') && row.unknown,
    defects.includes('forged') && row.forged,
  ]) {
    if (!change) continue;
    changed.path = change.path ?? changed.path;
    if (change.json !== undefined) changed.json = { ...changed.json, ...change.json };
  }
  if (defects.includes('malformed')) {
    if (request.form === undefined) changed.body = '[]';
    else changed.form = new FormData();
  }
  return changed;
}

/** Sends a request. The outcome is the status of a success or of a HEAD request, otherwise the name of the error. */
async function send(
  { url }: TestService,
  method: string,
  role: Pick<Role, 'headers' | 'query'>,
  { path, json, form, body = json && JSON.stringify(json) }: RowRequest & { body?: string },
): Promise<{ outcome: number | string; response: Response; text: string }> {
  const search = role.query === undefined ? '' : `${path.includes('?') ? '&' : '?'}${role.query}`;
  const response = await fetch(url + path + search, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...role.headers },
    ...(form === undefined ? {} : { body: form }),
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  if (response.status < 400 || method === 'HEAD') return { outcome: response.status, response, text };
  return { outcome: (JSON.parse(text) as { name: string }).name, response, text };
}

const methodOf = ({ route }: Row) => route.split(' ')[0] ?? '';

describe.each(ROWS.map((row, index) => [`${row.route} (${row.access}, row ${index + 1})`, row] as const))(
  '%s',
  (_name, row) => {
    const method = methodOf(row);

    async function expectRefusals(
      defectSets: Defect[][],
      rolesWithout = rolesFor(row),
      rolesWithDefect = rolesFor(row),
    ): Promise<void> {
      const { service } = fixture;
      const request = await row.request(fixture);
      const before = await hashData(service.databaseUrl);
      for (const defects of defectSets.filter((set) => areApplicable(row, request, set))) {
        const roles = defects.length === 0 ? rolesWithout : rolesWithDefect;
        const sent = roles.map(async (role) => {
          const refusal = firstRefusal(row, role, defects, request.form !== undefined);
          if (refusal === null) return;
          const { outcome, response } = await send(
            service,
            method,
            role,
            applyDefects(request, row, defects),
          );
          const label = `${role.role}, ${defects.join(' and ') || 'no defect'}`;
          expect([label, outcome, response.status]).toEqual([label, refusal, ERRORS[refusal].status]);
        });
        await Promise.all(sent);
      }
      expect(await hashData(service.databaseUrl)).toBe(before);
    }

    test('rejects roles without access and defective requests, and changes no data', async () => {
      await expectRefusals(ONE_DEFECT, typicalRoles(row), oneRolePerOutcome(row));
    });

    test('rejects defective requests of every role', { tags: ['slow'] }, async () => {
      await expectRefusals(ONE_DEFECT);
    });

    test.runIf(row.unknown !== undefined)(
      'rejects two defects with the error of the first failed check',
      {
        tags: ['slow'],
      },
      async () => {
        await expectRefusals(TWO_DEFECTS);
      },
    );

    async function expectAcceptance(roles: Role[]): Promise<void> {
      const { service } = fixture;
      expect(roles).not.toEqual([]);
      const sent = roles.map(async (role) => {
        const { outcome, response } = await send(service, method, role, await row.request(fixture));
        expect([role.role, outcome]).toEqual([role.role, row.status]);
        if (row.status === 202 && row.isOperation !== false) await waitForSuccess(service, response);
      });
      await Promise.all(sent);
    }
    const onlyAllowed = (roles: Role[]) => roles.filter(({ outcomes }) => outcomes[row.access] === 'allowed');

    test('accepts the allowed roles', async () => {
      // A public route does not read the key, so two of the roles stand for all.
      const roles =
        row.access === 'public'
          ? rolesFor(row).filter(({ role }) => ['no key', 'an unknown key'].includes(role))
          : typicalRoles(row);
      await expectAcceptance(onlyAllowed(roles));
    });

    test('accepts every allowed role', { tags: ['slow'] }, async () => {
      await expectAcceptance(onlyAllowed(rolesFor(row)));
    });

    test.runIf(method === 'GET')(
      'returns the same status for HEAD, without a body',
      {
        tags: ['slow'],
      },
      async () => {
        const { service } = fixture;
        const request = await row.request(fixture);
        const sent = oneRolePerOutcome(row).map(async (role) => {
          const { outcome, text } = await send(service, 'HEAD', role, request);
          const expected = role.outcomes[row.access];
          const status = expected === 'allowed' ? row.status : ERRORS[expected].status;
          expect([role.role, outcome, text]).toEqual([role.role, status, '']);
        });
        await Promise.all(sent);
      },
    );
  },
);

describe('in production', () => {
  test.each(PRODUCTION_ROWS)(
    '$route accepts only the right keys, and rejects those of the sandbox',
    async (row) => {
      for (const role of productionRoles) {
        const { outcome } = await send(production, 'GET', role, await row.request(fixture));
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
      const headers = { 'X-API-Key': fixture.keys.operator };
      const { status } = await callRaw(worker.url, fillParameters(url), { method, headers });
      expect([row.route, status]).toEqual([row.route, HEALTH_ROWS.includes(row) ? 200 : 404]);
    }
  });
});

test("the metrics of a production worker require the operator's key", async () => {
  const { databaseUrl, adminKey } = fixture.service;
  await deleteDeployment(databaseUrl);
  const productionWorker = await startTestService({
    DATABASE_URL: databaseUrl,
    BADGE_ADMIN_KEY: adminKey,
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: CONTRACT,
    BADGE_ROLE: 'worker',
  });
  const statuses: number[] = [];
  for (const key of ['', fixture.keys.right, adminKey]) {
    statuses.push((await productionWorker.call('/metrics', { headers: { 'X-API-Key': key } })).status);
  }
  await productionWorker.stop();
  expect(statuses).toEqual([401, 401, 200]);
});

test('preflight responses are the same for existing and for missing resources', async () => {
  const sendPreflight = async (path: string) => {
    const { status, headers, body } = await callRaw(fixture.service.url, path, { method: 'OPTIONS' });
    return { status, body, headers: { ...headers, 'x-request-id': '', date: '' } };
  };
  const response = await sendPreflight('/v1/communities/demo/apiKeys');
  expect(response).toMatchObject({ status: 204, body: '' });
  for (const path of ['/v1/communities/nobody/apiKeys', `/v1/operations/${randomUUID()}`, '/v1/nothing']) {
    expect(await sendPreflight(path)).toEqual(response);
  }
});
