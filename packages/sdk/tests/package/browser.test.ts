import { findChromium } from '@badge/test-support/chromium';
import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../../../service/src/testing/services.ts';
import { openPage } from '../../src/testing/chromium.ts';

test.skipIf(findChromium() === null)(
  'a page in Chromium creates, claims and burns with the wallet of the browser',
  async () => {
    const service = await startTestService();
    onTestFinished(() => service.stop());
    const script = `
    import './wallet.js';
    import { createBadgeClient } from './sdk.js';
    const lines = [];
    try {
      const badge = createBadgeClient(${JSON.stringify({ url: service.url, apiKey: service.apiKey })});
      const signer = window.ethereum;
      const creation = await badge.createToken({
        signer,
        communityId: 'demo',
        headline: 'Made in a browser',
        nftTypeId: 'defaultOrangeRed',
        totalClaimCount: 1,
      });
      const { tokenId } = await creation.wait();
      lines.push('created ' + tokenId);
      const visitor = createBadgeClient({ url: ${JSON.stringify(service.url)} });
      await (await visitor.claim({ tokenId, signer })).wait();
      for await (const token of visitor.listTokens()) lines.push('listed ' + token.headline);
      await (await visitor.burn({ tokenId, signer })).wait();
      lines.push('burned');
      const assetFile = await new Promise((resolve) => document.createElement('canvas').toBlob(resolve));
      const { isUserAdded } = await badge.createNftType({ communityId: 'demo', name: 'Drawn', assetFile });
      lines.push('uploaded ' + isUserAdded);
      await visitor.getToken({ tokenId: 99 });
    } catch (error) {
      lines.push(error.name + ' ' + (error.requestId !== null));
    }
    await fetch('/result', { method: 'POST', body: lines.join('\\n') });
  `;
    const result = await openPage('<!doctype html><script type="module" src="/main.js"></script>', {
      '/main.js': script,
    });
    expect(result.split('\n')).toEqual([
      'created 1',
      'listed Made in a browser',
      'burned',
      'uploaded true',
      'TokenNotFound true',
    ]);
  },
  120_000,
);
