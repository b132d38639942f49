import { LIMITS, Page, WalletToken, WalletTokensQuery } from '@badge/protocol';
import Type from 'typebox';
import type { Context } from '../context.ts';
import { listWalletTokens } from '../domain/tokens/list-tokens.ts';
import { sendStoredPage } from '../http/reads/send-tokens.ts';
import { ofOwners } from '../http/reads/token-responses.ts';
import { type App, jsonResponse, paragraphs, problemResponses } from './route.ts';

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
        description: paragraphs(
          'Lists the tokens that an address holds (`claimed`) and the tokens whose allowlist contains it and that it has not claimed (`unclaimed`), newest token first. A token that has ended stays `claimed`, with `isExpired`. A token that was burnt, revoked or moved away is neither, so it is not listed. An unknown address, community or token returns an empty list.',
          'A page near the start costs the same, however many tokens the wallet has. A request with an offset above 1,000, with `claimStatus=unclaimed` or with `communityId` is read for up to 1 second; then it fails with 503 `Unavailable`.',
        ),
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
      const { address } = request.params;
      const key = `wallet ${address} ${JSON.stringify(filter)}`;
      // A token can end without a change. One that has ended stays so, unless something changes.
      const dependencyOf = (items: WalletToken[]) =>
        items.some((item) => item.validUntilTimestamp !== null && !item.isExpired) ? null : ofOwners(tokenId);
      return await sendStoredPage(request, reply, { key, page: filter, dependencyOf }, (reader) =>
        listWalletTokens(context, reader, address, filter),
      );
    },
  );
}
