import { CheckedOwners, CheckOwnersBody, LIMITS, SnapshotScores, SnapshotScoresBody } from '@badge/protocol';
import type { Context } from '../context.ts';
import { readHeldTokens } from '../domain/claims/read-held-tokens.ts';
import { readSnapshotScores } from '../domain/claims/read-snapshot-scores.ts';
import { sendObject } from '../http/reads/send-page.ts';
import { type App, jsonResponse, problemResponses, TokenParams } from './route.ts';

/** A check of this many addresses, each for one token, counts as one request. */
const PAIRS_PER_REQUEST = 1_000;
const weighPairs = (addresses: string[], tokens: number) =>
  Math.ceil((addresses.length * tokens) / PAIRS_PER_REQUEST);
const ERRORS = ['InvalidRequest', 'TokenNotFound', 'TooLarge', 'UnsupportedMediaType'] as const;

export function gateRoutes(app: App, context: Context): void {
  app.post(
    '/checkOwners',
    {
      config: {
        access: 'public',
        idempotency: 'ignore',
        weighBody: (body) => {
          const { addresses, tokenIds } = body as CheckOwnersBody;
          return weighPairs(addresses, tokenIds.length);
        },
      },
      schema: {
        operationId: 'checkOwners',
        tags: ['Gates'],
        summary: 'Check who holds tokens',
        description:
          'Says for each of up to 1,000 addresses which of up to 100 tokens it holds: it has claimed them, has not lost them since, and they have not ended. The response is never older than the request. Equal token ids count once; an address that is sent twice has two items. If there is no token with one of the ids, the service returns 404 `TokenNotFound`, and `detail` names these ids. It is a POST, because the addresses do not fit into a URL; it changes nothing. Counts as one request for each started 1,000 pairs of an address and a token.',
        body: CheckOwnersBody,
        response: {
          200: jsonResponse('The tokens that each address holds.', CheckedOwners),
          ...problemResponses(...ERRORS),
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return await sendObject(request, reply, async (reader) => ({
        items: await readHeldTokens(context, reader, request.body),
      }));
    },
  );

  app.post(
    '/tokens/:tokenId/snapshotScores',
    {
      config: {
        access: 'public',
        idempotency: 'ignore',
        weighBody: (body) => weighPairs((body as SnapshotScoresBody).addresses, 1),
      },
      bodyLimit: LIMITS.contributorsBodyBytes,
      schema: {
        operationId: 'readSnapshotScores',
        tags: ['Gates'],
        summary: 'Score voters for Snapshot',
        description:
          "Returns 1 for each address that holds the token now, and whose token has not ended, otherwise 0, as version 0.1.0 of Snapshot's strategy `api-v2` reads it with the type `api-post` ([snapshot-strategies](https://github.com/snapshot-labs/snapshot-strategies), commit `91abd258` of July 2025). The other fields that Snapshot sends, such as the block of the proposal, are ignored. The strategy divides a score by 10 to the power of its option `decimals`, so leave this option out. Changes nothing. Counts as one request for each started 1,000 addresses.",
        params: TokenParams,
        body: SnapshotScoresBody,
        response: {
          200: jsonResponse('The score of each address.', SnapshotScores),
          ...problemResponses(...ERRORS),
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      const { params, body } = request;
      return await sendObject(request, reply, (reader) =>
        readSnapshotScores(context, reader, params.tokenId, body.addresses),
      );
    },
  );
}
