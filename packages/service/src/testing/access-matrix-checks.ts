import { ERRORS, type ErrorName } from '@badge/protocol';
import { afterAll, beforeAll, expect } from 'vitest';
import { ROWS, type Row, type RowRequest } from './access-matrix.ts';
import { createMatrixFixture, type MatrixFixture, waitForSuccess } from './access-matrix-fixture.ts';
import { listRoles, METRICS_KEY, type Role } from './access-matrix-roles.ts';
import { hashData } from './hash-data.ts';
import { type RegisteredRoute, recordRoutes } from './record-routes.ts';
import { startTestService, type TestService } from './services.ts';

/**
 * What is wrong with a request: its body is malformed, it contains an unknown id, or its signature is forged.
 */
export type Defect = 'malformed' | 'unknown' | 'forged';

export const ONE_DEFECT: Defect[][] = [[], ['malformed'], ['unknown'], ['forged']];

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
    keyRefusal === 'TokenNotOwned' ||
    (keyRefusal === 'ApiKeyNotAllowed' && !['operator', 'session', 'emailOnly'].includes(row.access));
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

/**
 * Sends a request. The outcome is the status of a success or of a HEAD request, otherwise the name of the
 * error.
 */
export async function send(
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

export const methodOf = ({ route }: Row) => route.split(' ')[0] ?? '';

/** The rows, each with its name as a title. */
export const NAMED_ROWS = ROWS.map(
  (row, index) => [`${row.route} (${row.access}, row ${index + 1})`, row] as const,
);

/** The rows of which a request can be refused: not those of a page or a file that everybody can read. */
export const REFUSABLE_ROWS = NAMED_ROWS.filter(
  ([, row]) => row.access !== 'public' || row.unknown !== undefined || methodOf(row) !== 'GET',
);

/**
 * Starts a service with the fixture of the matrix before the tests, and stops it after. Returns checks of
 * rows.
 */
export function accessMatrixChecks() {
  let fixture: MatrixFixture;
  let routes: RegisteredRoute[];

  beforeAll(async () => {
    const recorded = await recordRoutes(() => startTestService({ BADGE_METRICS_KEY: METRICS_KEY }));
    routes = recorded.routes;
    fixture = await createMatrixFixture(recorded.started);
  });
  afterAll(async () => await fixture.service.stop());

  /** Returns the roles with which the requests of a row are sent. */
  const rolesFor = (row: Row) =>
    listRoles(fixture.keys).filter(({ roleOf }) => row.access !== 'public' || roleOf === undefined);

  /** Returns one role for each outcome that the roles have for a row. */
  const oneRolePerOutcome = (row: Row, roles = rolesFor(row)) => [
    ...new Map(roles.map((role) => [role.outcomes[row.access], role])).values(),
  ];

  /**
   * Sends the requests of a row that must be refused, and expects their errors and that no data has changed.
   */
  async function expectRefusals(
    row: Row,
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
          methodOf(row),
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

  /** Sends the request of a row with those of the roles that are allowed, and expects that it succeeds. */
  async function expectAcceptance(row: Row, roles: Role[]): Promise<void> {
    const { service } = fixture;
    const allowed = roles.filter(({ outcomes }) => outcomes[row.access] === 'allowed');
    expect(allowed).not.toEqual([]);
    const sent = allowed.map(async (role) => {
      const { outcome, response } = await send(service, methodOf(row), role, await row.request(fixture));
      expect([role.role, outcome]).toEqual([role.role, row.status]);
      if (row.status === 202 && row.isOperation !== false) await waitForSuccess(service, response);
    });
    await Promise.all(sent);
  }

  return {
    get fixture() {
      return fixture;
    },
    get routes() {
      return routes;
    },
    rolesFor,
    oneRolePerOutcome,
    expectRefusals,
    expectAcceptance,
  };
}
