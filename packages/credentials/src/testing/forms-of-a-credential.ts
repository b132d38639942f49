import fc from 'fast-check';
import { expect } from 'vitest';
import { type Badge, signBadge } from '../badge-credential.ts';
import type { JsonObject } from '../parse-json.ts';
import { signStatusList } from '../status-list.ts';
import type { CredentialContent } from '../verification.ts';
import { verifyCredential } from '../verify-credential.ts';
import { badgeOf } from './badge-of.ts';
import { rewritings } from './rewrite.ts';
import { testIssuer } from './test-issuer.ts';

export const { did, signBytes, signDocument } = testIssuer();
export const TIME = '2026-01-02T03:04:05Z';
const LIST_URL = 'https://example.org/status/1';
export const badge: Badge = badgeOf({ did, status: { listUrl: LIST_URL, index: 7 } });
export const credential: JsonObject = JSON.parse(await signBadge(badge, signBytes));

export const list = await signStatusList(
  { url: LIST_URL, did, validFrom: TIME, created: TIME, revokedIndexes: [] },
  signBytes,
);

/** What is shown of a file: its content, or null. */
export type Show = (file: string) => Promise<CredentialContent | null>;
export const show: Show = async (file) =>
  (await verifyCredential(file, { fetchStatusList: async () => list })).content;

export const signed = await show(JSON.stringify(credential));

/** Each form of a credential shows what was signed, or nothing. Returns how many show it. */
export async function checkForms(showFile: Show, forms: string[]): Promise<number> {
  let shown = 0;
  for (const form of forms) {
    const content = await showFile(form);
    if (content === null) continue;
    expect(content, form).toEqual(signed);
    shown += 1;
  }
  return shown;
}

export async function checkRewritings(
  showFile: Show,
  options: { numRuns: number; seed?: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(rewritings(credential), async (form) => {
      await checkForms(showFile, [form]);
    }),
    options,
  );
}
