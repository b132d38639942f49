import type { RequestError, Role } from '@badge/protocol';
import type { Caller } from '../domain/caller.ts';

/**
 * Who can call a route. `public`: everyone; a key is ignored. `community`: with a key of any community or the
 * operator's key, or with a session. `operator`: with the operator's key. `session`: with a session.
 * `optional`: everyone, but a request for which `isKeyNeeded` returns true requires a valid key.
 */
export type Access = 'public' | 'community' | 'operator' | 'session' | 'optional';

/** Whose quota a request uses that counts for its address. `none`: it is not counted. */
export type AddressPolicy = 'address' | 'picture' | 'page' | 'file' | 'docs' | 'none';

declare module 'fastify' {
  /** The `config` of a route. */
  interface FastifyContextConfig {
    access?: Access;
    /** The lowest role that may call a route with the access `community` or `optional`. Default: `editor`. */
    role?: Role;
    /**
     * For an `optional` route: returns whether this request requires a valid key. If not, its key is ignored.
     * Default: `hasKey`, so that every key that is sent is checked.
     */
    isKeyNeeded?: (request: FastifyRequest) => boolean;
    /** The policy whose quota applies to a request that counts for its address. Default: `address`. */
    addressPolicy?: AddressPolicy;
    /** Whether /openapi.json documents a rate limit for the route. Has no effect on the limit itself. */
    isRateLimitDocumented?: boolean;
    /** Whether the route also sends the whole list as CSV. */
    hasCsv?: boolean;
    /** Whether a list counts as one request, whatever its `limit`. */
    isListCountedOnce?: boolean;
    /** How many items a request with this body creates. Each started 100 items count as one request. */
    countCreatedItems?: (body: unknown) => number;
    /**
     * How many requests a request with this body counts as, if it is valid. Its size can make it count as
     * more.
     */
    weighBody?: (body: unknown) => number;
    /** If true, `uploadPauseMs` limits the pauses of the body, and `bodyMs` does not apply. */
    isUpload?: boolean;
    /** The content types of bodies that the route accepts. Default: `application/json`. */
    bodyTypes?: readonly string[];
    /**
     * Finds the errors that the schema of the body cannot express. The body may violate the schema. `params`
     * are the parameters of the path. `caller` is null if no key was checked.
     */
    findBodyErrors?: (body: unknown, params: Record<string, string>, caller: Caller | null) => RequestError[];
    /**
     * How a POST handles an `Idempotency-Key`. Default: the key is recorded with the operation that the
     * request starts. `lock`: the request starts no operation, so the key is locked while the request runs.
     * `repeat`: the response contains secrets that must not be stored, so a repeated request runs again, and
     * replaces what the earlier one has created, or reads it. `ignore`: the key is ignored, because a
     * repeated request changes nothing.
     */
    idempotency?: 'lock' | 'repeat' | 'ignore';
    /**
     * What a request does with the `claimCode` that its body can contain, and which somebody may be guessing.
     * All but `check` can take a place of a room.
     */
    claimCode?: 'check' | 'claim' | 'reserve';
    /**
     * Whether the route stands for methods that its path does not have. Without it, a route with a parameter
     * would get their requests.
     */
    isMethodRejected?: boolean;
    /**
     * Whether requests wait for a permit of `writeConnections`. Default: true for PUT, PATCH and DELETE,
     * otherwise false.
     */
    usesWriteConnection?: boolean;
  }
}
