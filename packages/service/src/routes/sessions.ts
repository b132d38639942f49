import {
  CallerDescription,
  CreatedSession,
  CreateSignInChallengeBody,
  LIMITS,
  OwnToken,
  Page,
  PageQuery,
  Session,
  SessionItem,
  SignInBody,
  SignInChallenge,
} from '@badge/protocol';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { findAddressFieldErrors } from '../domain/address-errors.ts';
import { createSignInChallenge } from '../domain/sessions/create-challenge.ts';
import { createSession } from '../domain/sessions/create-session.ts';
import { describeCaller } from '../domain/sessions/describe-caller.ts';
import { endAllSessions, endSession } from '../domain/sessions/end-session.ts';
import { listSessions } from '../domain/sessions/list-sessions.ts';
import { readSession } from '../domain/sessions/read-session.ts';
import { listOwnTokens } from '../domain/tokens/list-tokens.ts';
import { callerOf } from '../http/auth.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { sendPage, sendPageInPieces } from '../http/reads/send-page.ts';
import { type App, jsonResponse, problemResponses, SIGNATURE_ERRORS } from './route.ts';

const BODY_ERRORS = ['InvalidRequest', 'TooLarge', 'UnsupportedMediaType'] as const;
const SESSION_ERRORS = [
  'InvalidRequest',
  'ApiKeyRequired',
  'InvalidApiKey',
  'InvalidSession',
  'ApiKeyNotAllowed',
] as const;

function sessionOf(request: FastifyRequest) {
  const caller = callerOf(request);
  if (caller.kind !== 'session' && caller.kind !== 'emailSession')
    throw new Error('the route does not require a session');
  return caller;
}

export function sessionRoutes(app: App, context: Context): void {
  app.post(
    '/sessions/challenge',
    {
      config: {
        access: 'public',
        idempotency: 'ignore',
        findBodyErrors: (body) => findAddressFieldErrors(body, ['address']),
      },
      schema: {
        operationId: 'createSignInChallenge',
        tags: ['Sessions'],
        summary: 'Create a challenge for a sign-in',
        description:
          'Returns an EIP-4361 message for the wallet to sign, the same for members and others. Its domain is the host of `PUBLIC_URL`. It can be used once, within ten minutes.',
        body: CreateSignInChallengeBody,
        response: {
          200: jsonResponse('The message to sign.', SignInChallenge),
          ...problemResponses(...BODY_ERRORS),
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return await createSignInChallenge(context, request.body);
    },
  );

  app.post(
    '/sessions',
    {
      config: { access: 'public', idempotency: 'ignore' },
      schema: {
        operationId: 'signIn',
        tags: ['Sessions'],
        summary: 'Sign in with a wallet',
        description:
          "Requires the message of a challenge and its signature. `sessionToken` is returned only once. Send it as `Authorization: Bearer`, wherever a call accepts a community's key. It is valid for twelve hours, or for thirty minutes if the address is a member of no community, and acts with the role that the member has at the time of each request. An address has at most 20 sessions: one more ends the oldest one. The session of a contract wallet counts only in communities whose `contractWalletChainId` is its chain. If the response is lost, request another challenge. 400 `InvalidRequest`: the message is not of EIP-4361. 403 `SignInRefused`: it is no challenge of this service, was changed, has expired or was used before.",
        body: SignInBody,
        response: {
          201: jsonResponse('The session.', CreatedSession),
          ...problemResponses(...BODY_ERRORS, ...SIGNATURE_ERRORS, 'SignInRefused', 'NotSignedByAddress'),
        },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send(await createSession(context, request.body, chainCallsOf(request, reply))),
  );

  app.get(
    '/sessions',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'listSessions',
        tags: ['Sessions'],
        summary: 'List your sessions',
        description:
          'Returns the sessions of its wallet or its e-mail address that are valid now, without their tokens. For a contract wallet, those of its chain.',
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of sessions, newest first.', Page(SessionItem)),
          ...problemResponses(...SESSION_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPage(request, reply, page, (reader) =>
        listSessions(context, reader, sessionOf(request), page),
      );
    },
  );

  app.delete(
    '/sessions',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'signOutEverywhere',
        tags: ['Sessions'],
        summary: 'Sign out everywhere',
        description:
          'Ends this session, and all other sessions that `GET /v1/sessions` lists. Every process rejects their tokens from the next request on. API keys stay valid.',
        response: {
          204: { description: 'Ended.', type: 'null' },
          ...problemResponses(...SESSION_ERRORS, 'TooLarge', 'UnsupportedMediaType'),
        },
      },
    },
    async (request, reply) => {
      await endAllSessions(context, sessionOf(request));
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/sessions/current',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'readSession',
        tags: ['Sessions'],
        summary: 'Retrieve the current session',
        description:
          'Returns the memberships of its address, or the addresses at which the service keeps badges for its e-mail, as they are now.',
        response: {
          200: jsonResponse('The session.', Session),
          ...problemResponses(...SESSION_ERRORS),
        },
      },
    },
    async (request) => await readSession(context, sessionOf(request)),
  );

  app.get(
    '/sessions/current/tokens',
    {
      config: { access: 'session', isListCountedOnce: true },
      schema: {
        operationId: 'listOwnTokens',
        tags: ['Sessions'],
        summary: 'List your tokens',
        description:
          'Lists the tokens that the one who has signed in has, over all communities, newest token first: those of the wallet, or those that the service keeps for the e-mail. Tokens that have ended are listed with `isExpired`. A request that would take longer than 1 second fails with 503 `Unavailable`.',
        querystring: PageQuery,
        response: {
          200: jsonResponse('A page of tokens.', Page(OwnToken)),
          ...problemResponses(...SESSION_ERRORS),
        },
      },
    },
    async (request, reply) => {
      const { limit = LIMITS.defaultPageItems, offset = 0 } = request.query;
      const page = { limit, offset };
      return await sendPageInPieces(request, reply, page, (reader) =>
        listOwnTokens(context, reader, sessionOf(request), page),
      );
    },
  );

  app.get(
    '/caller',
    {
      config: { access: 'community' },
      schema: {
        operationId: 'readCaller',
        tags: ['Sessions'],
        summary: 'Retrieve the caller',
        description: 'Returns whose key or session it is, and the role that it has now in each community.',
        response: {
          200: jsonResponse('The caller.', CallerDescription),
          ...problemResponses('InvalidRequest', 'ApiKeyRequired', 'InvalidApiKey', 'InvalidSession'),
        },
      },
    },
    async (request) => await describeCaller(context, callerOf(request)),
  );

  app.delete(
    '/sessions/current',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'signOut',
        tags: ['Sessions'],
        summary: 'Sign out',
        description: 'Every process rejects the token of the session from the next request on.',
        response: {
          204: { description: 'Ended.', type: 'null' },
          ...problemResponses(...SESSION_ERRORS, 'TooLarge', 'UnsupportedMediaType'),
        },
      },
    },
    async (request, reply) => {
      await endSession(context, sessionOf(request).sessionId);
      return reply.code(204).send(null);
    },
  );
}
