import type { Change, Row } from './row.ts';

/** The calls that take a JSON body, by a short name. */
export const routes = {
  createToken: 'POST /v1/tokens',
  hideToken: 'PATCH /v1/tokens/:tokenId',
  claim: 'POST /v1/tokens/:tokenId/claim',
  burn: 'POST /v1/tokens/:tokenId/burn',
  addContributors: 'POST /v1/tokens/:tokenId/addContributors',
  airdrop: 'POST /v1/tokens/:tokenId/airdrop',
  adminAirdrop: 'POST /v1/tokens/:tokenId/communityAdminAirdrop',
  adminAirdropWithoutConsent: 'POST /v1/tokens/:tokenId/communityAdminAirdropWithoutConsentSig',
  createCommunity: 'POST /v1/communities',
  updateCommunity: 'PATCH /v1/communities/:communityId',
  createApiKey: 'POST /v1/communities/:communityId/apiKeys',
} as const;

export type RouteName = keyof typeof routes;
export const routeNames = Object.keys(routes) as RouteName[];

/** A row that changes one thing of a right request. */
export function changed(route: RouteName, row: Pick<Row, 'case' | 'answer' | 'why'>, change: Change): Row {
  return { call: routes[route], ...row, send: (scene) => scene.send(route, change) };
}

/** A row that sets fields of a right body, whose signature is no longer looked at. */
export function withFields(
  route: RouteName,
  title: string,
  fields: Record<string, unknown>,
  answer: string,
  why: string,
): Row {
  return changed(route, { case: title, answer, why }, { body: (right) => ({ ...right, ...fields }) });
}

/** A row that writes one field as this JSON text, for what JSON.stringify cannot write. */
export function withLiteral(
  route: RouteName,
  field: string,
  literal: string,
  answer: string,
  why: string,
): Row {
  const mark = '@literal@';
  return changed(
    route,
    { case: `\`"${field}": ${literal}\``, answer, why },
    {
      body: (right) => ({ ...right, [field]: mark }),
      text: (right) => right.replace(`"${mark}"`, () => literal),
    },
  );
}
