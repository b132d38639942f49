import {
  BadgeCredential,
  CredentialQuery,
  IssuerKey,
  LIMITS,
  Page,
  PageQuery,
  RotateIssuerKeyBody,
} from '@badge/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { readBakedPicture } from '../domain/credentials/read-baked-picture.ts';
import { createCredentialReader } from '../domain/credentials/read-credential.ts';
import { checkNameParameter } from '../domain/credentials/read-identities.ts';
import { readIssuerKeys } from '../domain/credentials/read-issuer-keys.ts';
import { createStatusListReader } from '../domain/credentials/read-status-list.ts';
import { rotateIssuerKey } from '../domain/credentials/rotate-issuer-key.ts';
import { callerOf, optionalCallerOf } from '../http/auth.ts';
import { nameAddress } from '../http/caller-names.ts';
import { createMediaTypeChooser } from '../http/choose-media-type.ts';
import { clientSignal } from '../http/client-signal.ts';
import { isNotModified } from '../http/etag.ts';
import { responseRecorderOf } from '../http/idempotency/idempotency.ts';
import { sendBody, sendPage } from '../http/reads/send-page.ts';
import { sendTokenBytes } from '../http/reads/send-tokens.ts';
import { sendPicture } from '../http/send-picture.ts';
import {
  type App,
  CommunityParams,
  jsonResponse,
  KEY_ERRORS,
  paragraphs,
  problemResponses,
  TokenParams,
} from './route.ts';

const CREDENTIAL_TYPE = 'application/vc+json';
// Without a preference, the response is JSON.
const chooseType = createMediaTypeChooser([
  CREDENTIAL_TYPE,
  'application/vc',
  'application/vc+ld+json',
  'application/ld+json',
  'application/json',
  'image/png',
]);
const STATUS_LIST_SECONDS = 60;

function isIdentityWanted(query: unknown): boolean {
  return (query as CredentialQuery).with === 'identity';
}

export function credentialRoutes(app: App, context: Context): void {
  const readCredential = createCredentialReader(context);

  app.get(
    '/tokens/:tokenId/credentials/:address',
    {
      // Of what everybody can read, a key is ignored.
      config: { access: 'optional', isKeyNeeded: ({ query }) => isIdentityWanted(query) },
      schema: {
        operationId: 'readCredential',
        tags: ['Credentials'],
        summary: 'Retrieve a credential',
        description: paragraphs(
          'Returns the Open Badges 3.0 credential of an address that holds a token: a Verifiable Credential 2.0 with a Data Integrity proof of `eddsa-rdfc-2022`, signed for its community. Anybody can verify it without this service: with `npm run verify`, the page `/verify` and other verifiers.',
          '- **Format.** With the ending `.json`, or without an ending: JSON. With `.png`, or with `Accept: image/png` and no ending: the picture of the badge with the credential in it (the text chunk `openbadgecredential`). An uploaded image then has at most 1,024 pixels on its longer side; for a video, it is the poster.',
          "- **Content.** `issuer` is the issuer key of the community as a `did:key`, with its name and logo. `credentialSubject.id` is the owner, as `did:pkh:eip155:CHAIN:0x…`. `validFrom` is `claimedAtTimestamp` in whole seconds, and `validUntil` is `validUntilTimestamp`, rounded down; a badge that does not end, or ends after the year 9999, has none. `achievement` has the headline, the description (or else the headline), and `criteria.narrative` with the token's `criteria`; without them, it says how the badge was given. `result` has the custom attributes as texts; a date in milliseconds is written in ISO 8601. `activityStartDate` and `activityEndDate` are days in UTC. `achievement.image` and `relatedResource` have the URL of the picture and its SHA-256. `credentialStatus` is its entry in a status list. Control characters, except line ends, are replaced by spaces, because verifiers differ in how they read them.",
          "- **Changes.** The same badge has the same bytes until it is lost, its end or its token's `criteria`, the community's name or logo, `PUBLIC_URL` or `IMAGE_URL` is changed, or a new release changes the format. Credentials that people have stay valid, until the end that they say. If the end of a badge changes, it gets another credential; one that says a later end is revoked. A badge that has ended has a credential, too. Responses have an `ETag`.",
          "- **With a person in it.** The credential names nobody. With `with=identity` and the session of the owner, `credentialSubject.identifier` says who that is, as `IdentityObject`s: the e-mail address of a session by e-mail as a hash, and `name`, if it is sent. The hash is `sha256$` and the SHA-256 of the address, in lower case and with its domain in ASCII, followed by `salt`, which is new for each file. Nobody checks the name. A wallet's session has no e-mail address; that of a contract wallet counts only on the chain of the community's contract wallets. The file has the id and the entry in the status list of the public one, so both are revoked together. It is signed for this response only: nothing of it is stored or logged, and it has no `ETag`. A key, or a session of somebody else: 403 `RoleNotAllowed`.",
          'The service has credentials only if the operator has set `BADGE_ISSUER_SEED_FILE`; a sandbox has created a seed.',
        ),
        params: Type.Object({
          ...TokenParams.properties,
          address: Type.String({
            description: 'The address that holds the token, optionally followed by `.json` or `.png`.',
          }),
        }),
        querystring: CredentialQuery,
        response: {
          200: {
            description: 'The credential, or the picture with it.',
            content: {
              [CREDENTIAL_TYPE]: { schema: BadgeCredential },
              'image/png': { schema: { type: 'string', contentEncoding: 'binary' } },
            },
          },
          304: { description: 'Not modified: the `ETag` in `If-None-Match` is current.', type: 'null' },
          ...problemResponses(
            'InvalidRequest',
            'TokenNotFound',
            'OwnerNotFound',
            'CredentialRevoked',
            'CredentialsUnavailable',
            'ApiKeyRequired',
            'InvalidApiKey',
            'InvalidSession',
            'RoleNotAllowed',
          ),
        },
      },
    },
    async (request, reply) => {
      checkNameParameter(request.query);
      const caller = optionalCallerOf(request);
      const identity = caller === null ? undefined : { caller, name: request.query.name ?? null };
      const [, address = '', ending] = /^(.*?)(\.json|\.png)?$/s.exec(request.params.address) ?? [];
      const vary = [ending === undefined && 'Accept', identity !== undefined && 'Authorization, X-API-Key'];
      if (vary.some(Boolean)) reply.header('Vary', vary.filter(Boolean).join(', '));
      const { tokenId } = request.params;
      const requester = { client: nameAddress(request), signal: clientSignal(reply) };
      const isPng = ending === undefined ? chooseType(request) === 'image/png' : ending === '.png';
      if (isPng) {
        const reader = request.server.openReader(request, reply);
        const credential = await readCredential({ tokenId, address, reader, requester, identity });
        const isPrivate = identity !== undefined;
        return await sendPicture(request, reply, await readBakedPicture(context, credential, { isPrivate }));
      }
      if (identity !== undefined) {
        const reader = request.server.openReader(request, reply);
        const { bytes } = await readCredential({ tokenId, address, reader, requester, identity });
        return sendBody(reply.header('Cache-Control', 'no-store'), reader, bytes, CREDENTIAL_TYPE);
      }
      reply.header('Cache-Control', 'public, no-cache');
      return await sendTokenBytes(request, reply, {
        key: `credential ${tokenId} ${address}`,
        contentType: CREDENTIAL_TYPE,
        read: async (reader) => {
          const { tokenId: id, bytes } = await readCredential({ tokenId, address, reader, requester });
          return { id, bytes };
        },
      });
    },
  );

  app.get(
    '/communities/:communityId/issuerKeys',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'readIssuerKeys',
        tags: ['Credentials'],
        summary: "Retrieve a community's issuer keys",
        description:
          'Lists the keys with which the service has signed, or will sign, credentials for the community, the newest first: up to 1,000, unless `limit` says otherwise. Anybody can make a credential with any name as its issuer; only one with one of these keys is from the community. A community without a key gets its first one with this call or its first credential; `data` is empty if the service has no seed. After a rotation, the older keys stay in the list, unless the operator has replaced the seed.',
        params: CommunityParams,
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of keys, the newest first.', Page(IssuerKey)),
          ...problemResponses('InvalidRequest', 'CommunityNotFound'),
        },
      },
    },
    async (request, reply) => {
      // All of them, unless a page is asked for: whoever verifies a credential looks for one key.
      const { limit = LIMITS.pageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        readIssuerKeys(context, reader, { ...request.params, ...page }),
      );
    },
  );

  app.post(
    '/communities/:communityId/issuerKeys',
    {
      config: { access: 'community', role: 'owner', idempotency: 'lock', usesWriteConnection: true },
      schema: {
        operationId: 'rotateIssuerKey',
        tags: ['Credentials'],
        summary: 'Rotate the issuer key',
        description:
          'Gives the community a new key, with which new credentials are signed. Without `isSeedReplaced`, credentials with an older key stay valid and keep their bytes, and the key stays listed. So this does not help if others know the key: they can sign credentials that no status list revokes. The operator then has to replace the seed. An `Idempotency-Key` makes sure that a repetition does not rotate again. A community can rotate its key five times a day; more are refused with 429. The operator can do it as often as needed.',
        params: CommunityParams,
        body: RotateIssuerKeyBody,
        response: {
          201: jsonResponse('The new key.', IssuerKey),
          ...problemResponses(
            ...KEY_ERRORS,
            'CommunityNotFound',
            'CredentialsUnavailable',
            'TooLarge',
            'UnsupportedMediaType',
          ),
        },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      const recordResponse = responseRecorderOf(request);
      return reply
        .code(201)
        .send(await rotateIssuerKey(context, callerOf(request), { ...params, body, recordResponse }));
    },
  );
}

/** The route of the status lists, which is outside of /v1, because its URL is in the credentials. */
export function statusListRoutes(app: App, context: Context): void {
  const readStatusList = createStatusListReader(context);

  app.get(
    '/status/:listId',
    {
      config: { access: 'public', isRateLimitDocumented: true },
      schema: {
        operationId: 'readStatusList',
        tags: ['Credentials'],
        summary: 'Retrieve a status list',
        description:
          'Returns a Bitstring Status List 1.0 of 131,072 entries, signed, of one community and one of its keys. Verifiers read it. An entry is set, forever, if its badge was revoked, burnt or moved; a badge that is reinstated, or moved back, has a credential with a new entry. The index of an entry is random. Responses have an `ETag` and `Cache-Control: public, max-age=60`, and pages of every origin can read them. With `BADGE_STATUS_URL`, the URL in credentials leads to another server, for which `npm run publish-status` writes the same list. 409 `CredentialsUnavailable`: the key of the list is of another seed.',
        params: Type.Object({
          listId: Type.String({ description: 'The id of the list, as in the credentials.' }),
        }),
        response: {
          200: {
            description: 'The list.',
            content: {
              [CREDENTIAL_TYPE]: {
                schema: Type.Object({}, { title: 'StatusListCredential', additionalProperties: true }),
              },
            },
          },
          304: { description: 'Not modified: the `ETag` in `If-None-Match` is current.', type: 'null' },
          ...problemResponses('StatusListNotFound', 'CredentialsUnavailable'),
        },
      },
    },
    async (request, reply) => {
      const { bytes, hash } = await readStatusList(request.params.listId);
      reply.header('Cache-Control', `public, max-age=${STATUS_LIST_SECONDS}`);
      if (isNotModified(request, reply, `"${hash}"`)) return reply.code(304).send(null);
      return reply.type(CREDENTIAL_TYPE).send(bytes);
    },
  );
}

/** Adds the headers with which a web page of any origin can read a list, also a 429. */
export function addStatusListHeaders(_request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('Access-Control-Allow-Origin', '*')
    .header('Access-Control-Expose-Headers', 'ETag, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy')
    .header('Cross-Origin-Resource-Policy', 'cross-origin');
}
