import {
  CallerDescription,
  CreatedSession,
  CreateEmailChallengeBody,
  CreateSignInChallengeBody,
  EmailChallenge,
  LIMITS,
  Page,
  PageQuery,
  Session,
  SessionItem,
  SignInBody,
  SignInChallenge,
} from '@badge/protocol';
import type { Context } from '../context.ts';
import { findAddressFieldErrors } from '../domain/address-errors.ts';
import { findEmailBodyErrors } from '../domain/invitations/rules.ts';
import { createSignInChallenge } from '../domain/sessions/create-challenge.ts';
import { createEmailChallenge } from '../domain/sessions/create-email-challenge.ts';
import { createSession } from '../domain/sessions/create-session.ts';
import { describeCaller } from '../domain/sessions/describe-caller.ts';
import { endAllSessions, endSession } from '../domain/sessions/end-session.ts';
import { listSessions } from '../domain/sessions/list-sessions.ts';
import { readSession } from '../domain/sessions/read-session.ts';
import { findSignInErrors } from '../domain/sessions/rules.ts';
import { signInByEmail } from '../domain/sessions/sign-in-by-email.ts';
import { callerOf, sessionOf } from '../http/auth.ts';
import { nameAddress } from '../http/caller-names.ts';
import { chainCallsOf } from '../http/chain-calls.ts';
import { sendPage } from '../http/reads/send-page.ts';
import {
  type App,
  jsonResponse,
  paragraphs,
  problemResponses,
  SESSION_ERRORS,
  SIGNATURE_ERRORS,
} from './route.ts';

const BODY_ERRORS = ['InvalidRequest', 'TooLarge', 'UnsupportedMediaType'] as const;
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
    '/sessions/emailChallenge',
    {
      config: {
        access: 'public',
        idempotency: 'ignore',
        findBodyErrors: findEmailBodyErrors,
      },
      schema: {
        operationId: 'createEmailChallenge',
        tags: ['Sessions'],
        summary: 'Ask for a code to sign in by e-mail',
        description: paragraphs(
          'The address gets a mail with a code of 8 characters and a link to `PUBLIC_URL/sign-in?to=RETURN_PATH#CODE`. To open the link uses up nothing. The response is the same, and takes the same time, whether or not anybody knows the address. The audit log has no entry.',
          '- **The code** can be used once, within 15 minutes after its mail. Every challenge for the address accepts it, not only that of its mail.',
          '- **Limits.** An address gets at most 3 such mails in 15 minutes and 10 in 24 hours, also if it has unsubscribed. A mailbox gets at most 6 and 20 over all its spellings, such as those with a tag (`ada+badge@example.org`); its plain spelling has only the limit of its own. Whoever asks for more gets the same response, but no mail. A client address (IPv6: its /64) can ask for 200 an hour, and for two fifths of `BADGE_MAIL_LIMIT`. All clients together get as many mails as `BADGE_MAIL_LIMIT` says, which count in the share of no community; only mails that are sent count. Beyond: 429 `RateLimited`.',
        ),
        body: CreateEmailChallengeBody,
        response: {
          202: jsonResponse('The challenge, whether or not a mail is sent.', EmailChallenge),
          ...problemResponses(...BODY_ERRORS, 'MailUnavailable', 'KeptBadgesUnavailable', 'RateLimited'),
        },
      },
    },
    async (request, reply) => {
      const challenge = await createEmailChallenge(context, request.body, nameAddress(request));
      return reply.code(202).header('Cache-Control', 'no-store').send(challenge);
    },
  );

  app.post(
    '/sessions',
    {
      config: { access: 'public', idempotency: 'ignore', findBodyErrors: findSignInErrors },
      schema: {
        operationId: 'signIn',
        tags: ['Sessions'],
        summary: 'Sign in',
        description: paragraphs(
          'With a wallet: `message` of a challenge and its `signature`. With an e-mail address: `challengeId` and the `code` of the mail. `sessionToken` is returned only once. If the response is lost, request another challenge. An address has at most 20 sessions: one more ends the oldest one.',
          "- **With a wallet**, send the token as `Authorization: Bearer`, wherever a call accepts a community's key. It is valid for twelve hours, or for thirty minutes if the address is a member of no community, and acts with the role that the member has at the time of each request. The session of a contract wallet counts only in communities whose `contractWalletChainId` is its chain.",
          '- **With an e-mail address**, the token is valid for twelve hours, and acts for no member.',
          '- **Errors.** 400 `InvalidRequest`: also if the message is not of EIP-4361. 403 `SignInRefused`: the message is no challenge of this service, was changed, has expired or was used before; or the code is wrong, or was mailed more than 15 minutes ago, or was used before, or the challenge has ended. Five wrong codes end a challenge, but not the codes that were mailed.',
        ),
        body: SignInBody,
        response: {
          201: jsonResponse('The session.', CreatedSession),
          ...problemResponses(
            ...BODY_ERRORS,
            ...SIGNATURE_ERRORS,
            'SignInRefused',
            'NotSignedByAddress',
            'KeptBadgesUnavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      // Exactly one of the two ways was checked.
      const { message, signature, challengeId, code } = request.body;
      const session =
        challengeId && code
          ? await signInByEmail(context, { challengeId, code })
          : await createSession(
              context,
              { message: message ?? '', signature: signature ?? '' },
              chainCallsOf(request, reply),
            );
      return reply.code(201).header('Cache-Control', 'no-store').send(session);
    },
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
          'Ends this session, and all other sessions that `GET /v1/sessions` lists. That of an e-mail address also ends the codes that were mailed to the address. Every process rejects their tokens from the next request on. API keys stay valid.',
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
