/** What the service promises. check/judge.ts names the check of each invariant. */
export const INVARIANTS = {
  I1: 'an accepted operation can always be read; a created key works, a revoked one does not; the session of a member works, that of a removed one does not',
  I2: 'one operation per idempotency key; without a key, one operation for equal requests within 60 s; one token per operation',
  I3: 'claims + remaining = total, in every snapshot; the count of a room link is that of its claims',
  I4: 'only contributors, receivers of an admin airdrop and whoever presents a valid code get an allowlisted token; nobody gets a token after its expiration',
  I5: 'an address, identifier or code gets a token at most once, the code of a room at most as often as its maximum',
  I6: 'every operation is final within 60 s after the last fault; every request is accepted or refused',
  I7: 'operation and token agree in every snapshot, and the API shows what is stored',
  I8: 'no token without its NFT type, no type in use without its asset, no changed asset',
  I9: 'one audit entry and one event per operation, none about an operation that does not exist; the feed is complete and in order; a webhook gets each event, always with one id and body',
  I10: 'no 5xx except 503, no unexpected refusal, no process exits by itself; reads continue during slow connections and while writes are refused',
  I11: 'SIGTERM loses no request; a rolling restart costs at most one retry per request',
  I12: 'token ids have no gaps',
  I13: 'behind this proxy (deploy/nginx/badge.conf), while one caller attacks, others are served: healthz in 1 s, writes, reads and pictures in 5 s, with 1 GB of memory',
  I14: 'after a client has read `success` or the 200 of a PATCH, every later request to any process gets a response with the change',
  I15: 'a replacement of a token neither loses nor doubles anybody, and every code still works',
  I16: 'on each process, whatever its clock, a badge is held until its end and expired from then on; each end has one event',
  I17: 'nobody is reminded twice, or within three days of an invitation',
} as const;

export type Invariant = keyof typeof INVARIANTS;

export const INVARIANT_NAMES = Object.keys(INVARIANTS) as Invariant[];
