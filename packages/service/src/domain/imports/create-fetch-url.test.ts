import { expect, test } from 'vitest';
import { createFetchUrl } from './create-fetch-url.ts';

const NOT_OPEN = 'its host was not found, or has no address that is open to this service';

test.each<[string, string[], string]>([
  ['http://127.0.0.1:1/', [], NOT_OPEN],
  ['http://localhost:1/', [], NOT_OPEN],
  ['http://127.0.0.1:1/', ['loopback'], 'there was no connection, or it has ended (ECONNREFUSED)'],
  ['ftp://a.example/', [], 'it is not an http or https URL'],
])('says in words why %s cannot be read with %j open', async (url, open, message) => {
  await expect(createFetchUrl(open)(url, { maxBytes: 1 })).rejects.toThrow(new Error(message));
});
