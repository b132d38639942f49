/** The routes under `/v1` that take a JSON body, by a short name. */
export const routes = {
  createToken: 'POST /v1/tokens',
  updateToken: 'PATCH /v1/tokens/:tokenId',
  claim: 'POST /v1/tokens/:tokenId/claim',
  burn: 'POST /v1/tokens/:tokenId/burn',
  addContributors: 'POST /v1/tokens/:tokenId/addContributors',
  removeContributors: 'POST /v1/tokens/:tokenId/removeContributors',
  revoke: 'POST /v1/tokens/:tokenId/owners/:address/revoke',
  reinstate: 'POST /v1/tokens/:tokenId/owners/:address/reinstate',
  move: 'POST /v1/tokens/:tokenId/owners/:address/move',
  airdrop: 'POST /v1/tokens/:tokenId/airdrop',
  adminAirdrop: 'POST /v1/tokens/:tokenId/communityAdminAirdrop',
  adminAirdropWithoutConsent: 'POST /v1/tokens/:tokenId/communityAdminAirdropWithoutConsentSig',
  createClaimLinks: 'POST /v1/tokens/:tokenId/claimLinks',
  updateClaimLink: 'PATCH /v1/tokens/:tokenId/claimLinks/:claimLinkId',
  createInvitations: 'POST /v1/tokens/:tokenId/invitations',
  previewInvitation: 'POST /v1/tokens/:tokenId/invitations/preview',
  checkClaimCode: 'POST /v1/tokens/:tokenId/checkClaimCode',
  checkOwners: 'POST /v1/checkOwners',
  ensNames: 'POST /v1/ensNames',
  snapshotScores: 'POST /v1/tokens/:tokenId/snapshotScores',
  createCommunity: 'POST /v1/communities',
  updateCommunity: 'PATCH /v1/communities/:communityId',
  signWithManagedCreator: 'POST /v1/communities/:communityId/managedCreator/sign',
  setMember: 'PUT /v1/communities/:communityId/members/:address',
  createSignInChallenge: 'POST /v1/sessions/challenge',
  signIn: 'POST /v1/sessions',
  createApiKey: 'POST /v1/communities/:communityId/apiKeys',
  // Not its POST, because a community can have only 20.
  updateWebhook: 'PATCH /v1/communities/:communityId/webhooks/:webhookId',
} as const;

export type RouteName = keyof typeof routes;
/** The routes that need no key. */
export const keylessRouteNames: readonly string[] = [
  'claim',
  'burn',
  'checkClaimCode',
  'createSignInChallenge',
  'signIn',
  'checkOwners',
  'ensNames',
  'snapshotScores',
];
/** The routes that need the operator's key. */
export const operatorRouteNames: readonly string[] = [
  'createCommunity',
  'updateCommunity',
  'setMember',
  'createApiKey',
  'updateWebhook',
];
/** The routes whose body can have up to 4 MiB. */
export const largeBodyRouteNames: readonly string[] = [
  'createToken',
  'addContributors',
  'removeContributors',
  'createClaimLinks',
  'createInvitations',
  'snapshotScores',
  'signWithManagedCreator',
];
export const routeNames = Object.keys(routes) as RouteName[];

/** The routes that act on one token. */
export const tokenRouteNames = routeNames.filter((route) => routes[route].includes(':tokenId'));
