import { randomUUID } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import { type ApiResponse, call, demoCommunityId, withDemoKey } from './client.ts';
import { type SampleType, sampleFiles } from './sample-files.ts';
import type { CreatedNftType } from './shapes.ts';

export const newNftTypeId = () => `acceptance-${randomUUID()}`;
export const nftTypesPath = (communityId: string = demoCommunityId) =>
  `/v1/communities/${communityId}/nftTypes`;

export type Part = [name: string, value: string | Blob, fileName?: string];

/** The parts of a valid upload. */
export const validParts = (): Part[] => [
  ['assetFile', blobOf('image/png'), 'design.png'],
  ['name', 'Acceptance'],
];

export function blobOf(contentType: SampleType): Blob {
  return new Blob([sampleFiles[contentType]], { type: contentType });
}

export async function upload(
  parts: Part[],
  {
    communityId = demoCommunityId,
    headers = withDemoKey,
  }: { communityId?: string; headers?: Record<string, string> } = {},
): Promise<ApiResponse> {
  const form = new FormData();
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, fileName ?? 'file');
  }
  // `Response` encodes the form, and sets the content type with the boundary.
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') ?? '';
  const body = new Uint8Array(await encoded.arrayBuffer());
  return await call(nftTypesPath(communityId), {
    method: 'POST',
    headers: { ...headers, 'Content-Type': contentType },
    body,
  });
}

export function parseAdded(response: ApiResponse): CreatedNftType {
  expect(response.status, response.text).toBe(201);
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  return JSON.parse(response.text) as CreatedNftType;
}

/** Adds an NFT type of the demo community with a small file of this content type. */
export async function addNftType(contentType: SampleType, ...more: Part[]): Promise<CreatedNftType> {
  const parts: Part[] = [['assetFile', blobOf(contentType)], ['name', `Acceptance ${contentType}`], ...more];
  return parseAdded(await upload(parts));
}

/** Deletes an NFT type of the demo community. */
export async function deleteNftType(nftTypeId: string): Promise<ApiResponse> {
  return await call(`${nftTypesPath()}/${nftTypeId}`, { method: 'DELETE', headers: withDemoKey });
}

/** For a test file that adds NFT types to the demo community: deletes them after its tests. */
export function addsNftTypes() {
  const idsToDelete: string[] = [];
  afterAll(async () => {
    for (const nftTypeId of idsToDelete) await deleteNftType(nftTypeId);
  });
  const deleteAfterTests = (nftType: CreatedNftType) => {
    idsToDelete.push(nftType.nftTypeId);
    return nftType;
  };
  return {
    deleteAfterTests,
    add: async (parts: Part[]) => deleteAfterTests(parseAdded(await upload(parts))),
  };
}
