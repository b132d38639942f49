const TIMEOUT_MS = 15_000;

/**
 * Reads the body of a URL of any site, of at most `maxBytes` bytes. Sends no cookies and no address of this
 * page. Rejects if the site cannot be reached, does not allow it (CORS), or responds with an error.
 */
export async function readUrl(url: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Error('it is no http or https URL');
  const response = await fetch(url, {
    credentials: 'omit',
    // Otherwise a badge that was just revoked would still be valid.
    cache: 'no-cache',
    referrerPolicy: 'no-referrer',
    headers: { Accept: 'application/vc+json, application/json;q=0.9, image/png;q=0.8, */*;q=0.1' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok || response.body === null) throw new Error(`the status is ${response.status}`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      throw new Error(`it has more than ${maxBytes} bytes`);
    }
    pieces.push(value);
  }
  return new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer());
}
