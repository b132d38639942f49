import { LIMITS, Page, WalletToken, WalletTokensQuery } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { listWalletTokens } from '../domain/tokens/list-tokens.ts';
import { sendPageInPieces } from '../http/reads/send-page.ts';
import { type App, jsonResponse, problemResponses } from './route.ts';

export function walletRoutes(app: App, context: Context): void {
  app.get(
    '/wallets/:address/tokens',
    {
      // Many people behind one IP address read the tokens of their own wallets.
      config: { access: 'public', isListCountedOnce: true },
      schema: {
        operationId: 'listWalletTokens',
        tags: ['Wallets'],
        summary: "List a wallet's tokens",
        description:
          'Lists the tokens that an address holds (`claimed`) and the tokens whose allowlist contains it and that it has not claimed (`unclaimed`), newest token first.',
        params: Type.Object({ address: Type.String({ description: 'The address of the wallet.' }) }),
        querystring: WalletTokensQuery,
        response: {
          200: jsonResponse("A page of the wallet's tokens.", Page(WalletToken)),
          ...problemResponses('InvalidRequest'),
        },
      },
    },
    async (request, reply) => {
      const {
        limit = LIMITS.defaultPageItems,
        offset = 0,
        claimStatus,
        communityId,
        tokenId,
      } = request.query;
      const filter = { limit, offset, claimStatus, communityId, tokenId };
      return await sendPageInPieces(request, reply, filter, (reader) =>
        listWalletTokens(context, reader, request.params.address, filter),
      );
    },
  );
}
