import { type ClientSecrets, readWhole, sendBytes, type Written } from './canaries.ts';

/** Sends each key and secret in every part of a request, and returns the responses by description. */
export async function sendSecrets(
  { url }: { url: string },
  keys: string[],
  secrets: ClientSecrets,
): Promise<Written> {
  const responses: Written = {};
  const record = (description: string, response: string) => {
    responses[`response ${Object.keys(responses).length + 1}: ${description}`] = response;
  };
  async function call(method: string, path: string, init: RequestInit = {}): Promise<void> {
    const response = await fetch(url + path, { method, ...init });
    record(`${method}, ${response.status}`, await readWhole(response));
  }
  const jsonHeaders = { 'Content-Type': 'application/json' };
  const secretHeaders = { Cookie: secrets['a cookie'], 'Idempotency-Key': secrets['an Idempotency-Key'] };
  async function sendEverywhere(key: string): Promise<void> {
    const authorizations = [`Bearer ${key}`, `Basic ${btoa(`demo:${key}`)}`, `Basic ${btoa(key)}`, key];
    for (const authorization of authorizations) {
      const headers = { ...jsonHeaders, ...secretHeaders, Authorization: authorization };
      await call('POST', '/v1/tokens', { headers, body: `{"${key}` });
      await call('POST', '/v1/tokens', { headers, body: JSON.stringify({ [key]: key, creator: key }) });
      await call('GET', '/v1/communities/demo/configuration', { headers });
      await call('GET', '/v1/communities', { headers });
    }
    const paths = ['/', '/v1/', '/v1/tokens/', '/v1/operations/', '/v1/communities/', '/v1/wallets/'];
    for (const path of [...paths, '/metadata/', '/images/nft/', '/docs/', '/docs/static/', '/%ff/']) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']) {
        await call(method, `${path}${key}?apiKey=${key}`, {
          headers: { ...secretHeaders, 'X-API-Key': key },
        });
      }
    }
    for (const path of [
      `communities/${key}/tokens`,
      `communities/${key}/nftTypes`,
      `wallets/${key}/tokens`,
    ]) {
      const headers = { ...secretHeaders, 'X-API-Key': keys[0] ?? '' };
      await call('GET', `/v1/${path}?isHidden=true&communityId=${key}&limit=${key}`, { headers });
      await call('POST', `/v1/${path}`, { headers: { ...headers, ...jsonHeaders }, body: '{}' });
    }
    await call('DELETE', `/v1/communities/demo/apiKeys/${key}`, { headers: { 'X-API-Key': keys[0] ?? '' } });
    const form = new FormData();
    form.append('name', key);
    form.append('assetFile', new Blob([key]), `${key}.gif`);
    const upload = { method: 'POST', body: form, headers: { 'X-API-Key': keys[0] ?? '', ...secretHeaders } };
    await call('POST', '/v1/communities/demo/nftTypes', upload);
    await call('POST', '/v1/tokens', {
      body: key,
      headers: { 'X-API-Key': key, 'Content-Type': 'text/plain' },
    });
    await call('POST', '/v1/tokens', {
      headers: { ...jsonHeaders, 'X-API-Key': key },
      body: key.padEnd(5 * 1024 * 1024, key),
    });
    const start = `GET /v1/tokens?key=${key} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
    for (const bytes of [
      `${key}\r\n\r\n`,
      `${start}No colon ${key}\r\n\r\n`,
      `${start}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n${key}`,
      `${start}X-Padding: ${key.repeat(500)}\r\n\r\n`,
      `${start}Transfer-Encoding: chunked\r\n\r\n${key}\r\n`,
    ]) {
      record('raw bytes', await sendBytes(url, bytes));
    }
  }
  await Promise.all([...keys, ...Object.values(secrets)].map(sendEverywhere));
  return responses;
}
