import { type ClientSecrets, readWhole, sendBytes, type Written } from './canaries.ts';

/**
 * Sends each key and secret in every part of a request. The first key must be valid. Returns the responses by
 * description.
 */
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
  const [validKey = ''] = keys;

  async function sendInAuthorization(secret: string): Promise<void> {
    const authorizations = [
      `Bearer ${secret}`,
      `Basic ${btoa(`demo:${secret}`)}`,
      `Basic ${btoa(secret)}`,
      secret,
    ];
    for (const authorization of authorizations) {
      const headers = { ...jsonHeaders, ...secretHeaders, Authorization: authorization };
      await call('POST', '/v1/tokens', { headers, body: `{"${secret}` });
      await call('POST', '/v1/tokens', {
        headers,
        body: JSON.stringify({ [secret]: secret, creator: secret }),
      });
      await call('GET', '/v1/communities/demo/configuration', { headers });
      await call('GET', '/v1/communities', { headers });
    }
  }

  async function sendInPaths(secret: string): Promise<void> {
    const paths = ['/', '/v1/', '/v1/tokens/', '/v1/operations/', '/v1/communities/', '/v1/wallets/'];
    // `%ff` cannot be decoded as UTF-8.
    for (const path of [
      ...paths,
      '/metadata/',
      '/embed/token/',
      '/oembed?url=',
      '/images/nft/',
      '/docs/',
      '/docs/static/',
      '/%ff/',
    ]) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']) {
        await call(method, `${path}${secret}?apiKey=${secret}`, {
          headers: { ...secretHeaders, 'X-API-Key': secret },
        });
      }
    }
  }

  async function sendWithValidKey(secret: string): Promise<void> {
    const headers = { ...secretHeaders, 'X-API-Key': validKey };
    for (const path of [
      `communities/${secret}/tokens`,
      `communities/${secret}/nftTypes`,
      `wallets/${secret}/tokens`,
    ]) {
      await call('GET', `/v1/${path}?isHidden=true&communityId=${secret}&limit=${secret}`, { headers });
      await call('POST', `/v1/${path}`, { headers: { ...headers, ...jsonHeaders }, body: '{}' });
    }
    await call('DELETE', `/v1/communities/demo/apiKeys/${secret}`, { headers: { 'X-API-Key': validKey } });
    const form = new FormData();
    form.append('name', secret);
    form.append('assetFile', new Blob([secret]), `${secret}.gif`);
    await call('POST', '/v1/communities/demo/nftTypes', { body: form, headers });
  }

  async function sendInRefusedBodies(secret: string): Promise<void> {
    await call('POST', '/v1/tokens', {
      body: secret,
      headers: { 'X-API-Key': secret, 'Content-Type': 'text/plain' },
    });
    // The body is larger than the service accepts.
    await call('POST', '/v1/tokens', {
      headers: { ...jsonHeaders, 'X-API-Key': secret },
      body: secret.padEnd(5 * 1024 * 1024, secret),
    });
  }

  // Sends requests that Node cannot parse, or that are too large or ambiguous.
  async function sendInBrokenRequests(secret: string): Promise<void> {
    const start = `GET /v1/tokens?key=${secret} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n`;
    for (const bytes of [
      `${secret}\r\n\r\n`,
      `${start}No colon ${secret}\r\n\r\n`,
      `${start}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n${secret}`,
      `${start}X-Padding: ${secret.repeat(500)}\r\n\r\n`,
      `${start}Transfer-Encoding: chunked\r\n\r\n${secret}\r\n`,
    ]) {
      record('raw bytes', await sendBytes(url, bytes));
    }
  }

  async function sendEverywhere(secret: string): Promise<void> {
    await sendInAuthorization(secret);
    await sendInPaths(secret);
    await sendWithValidKey(secret);
    await sendInRefusedBodies(secret);
    await sendInBrokenRequests(secret);
  }

  await Promise.all([...keys, ...Object.values(secrets)].map(sendEverywhere));
  return responses;
}
