import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { makeGif } from '../load/designers.ts';
import { ATTACK_MS, type Attack, repeatConcurrently } from './attack.ts';
import { ATTACKED_SERVICE } from './attacked-service.ts';
import { UNJOURNALED_COMMUNITIES } from './callers.ts';
import { sendRequest } from './http.ts';
import { query } from './stored-tokens.ts';

const CONNECTIONS = 3;
// Makes a file of almost 20 MiB: a comment takes 68 bytes.
const COMMENTS = 300_000;
// The same as BADGE_STORAGE_QUOTA of ATTACKED_SERVICE.
const QUOTA_BYTES = 60 * 1024 ** 2;
const MIN_UPLOADS = 3;

export const UPLOADS: Attack = {
  name: 'uploads that are deleted',
  effect: `Uploads and deletes files of 20 MiB on ${CONNECTIONS} connections, with a quota of ${ATTACKED_SERVICE.BADGE_STORAGE_QUOTA}. The stored files must not exceed the quota.`,
  countsIf: `${MIN_UPLOADS} uploads were accepted, or one was refused because too many files were removed recently`,
  durationMs: ATTACK_MS,
  hasHappened: ({ 201: accepted = 0, 429: refused = 0 }) => accepted >= MIN_UPLOADS || refused > 0,
  async inspect(databaseUrl) {
    const [stored] = await query<{ bytes: string }>(
      databaseUrl,
      `select coalesce(sum(size_bytes), 0) as bytes from assets
       where asset_id in (select asset_id from nft_types where community_id = any($1))`,
      [UNJOURNALED_COMMUNITIES],
    );
    const bytes = Number(stored?.bytes);
    return bytes > QUOTA_BYTES ? `${bytes} bytes of files are stored, with a quota of ${QUOTA_BYTES}` : null;
  },
  async send({ url, caller: { communityId, apiKey, localAddress } }, signal) {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const path = `/v1/communities/${communityId}/nftTypes`;
    const common = { url, localAddress, agent, signal };
    const authorization = { Authorization: `Bearer ${apiKey}` };
    const comment = randomBytes(64);
    const form = new FormData();
    form.append('name', 'large');
    form.append(
      'assetFile',
      new Blob([makeGif(Array.from({ length: COMMENTS }, () => comment))]),
      'large.gif',
    );
    const encoded = new Response(form);
    const headers = { ...authorization, 'Content-Type': encoded.headers.get('content-type') ?? '' };
    const body = Buffer.from(await encoded.arrayBuffer());
    return await repeatConcurrently(CONNECTIONS, signal, async () => {
      const upload = await sendRequest({ ...common, path, method: 'POST', headers, body });
      if (upload.status === 201) {
        const { nftTypeId } = JSON.parse(upload.body.toString());
        await sendRequest({
          ...common,
          path: `${path}/${nftTypeId}`,
          method: 'DELETE',
          headers: authorization,
        });
      }
      return upload.status;
    });
  },
};
