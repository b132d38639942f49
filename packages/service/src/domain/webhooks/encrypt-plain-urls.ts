import type { Context } from '../../context.ts';
import { encryptUrl, lockPlainUrls } from '../../storage/webhooks.ts';

const MAX_URLS = 1_000;

/** Encrypts URLs that an earlier release has stored. Returns whether there may be more. */
export async function encryptPlainUrls(context: Context): Promise<boolean> {
  const { encryption } = context;
  // Another process may have the key.
  if (encryption === null) return false;
  return await context.transaction(async (tx) => {
    const plain = await lockPlainUrls(tx, MAX_URLS);
    for (const { webhookId, url } of plain) {
      await encryptUrl(tx, { webhookId, encryptedUrl: encryption.encrypt('webhookUrl', webhookId, url) });
    }
    return plain.length === MAX_URLS;
  });
}
