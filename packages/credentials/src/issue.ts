// What an issuer needs. It loads no JSON-LD processor.
export { type Badge, signBadge } from './badge-credential.ts';
export { toDidKey } from './did-key.ts';
export { type BadgeIdentity, hashIdentity } from './identity.ts';
export { bakeCredential } from './png.ts';
export { STATUS_LIST_ENTRIES, type StatusList, signStatusList } from './status-list.ts';
