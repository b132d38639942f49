import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedResponse } from './bare-server.ts';
import { serveParent } from './child.ts';

let responses = new Map<string, RecordedResponse>();

const server = createServer((request, response) => {
  const recorded = responses.get(request.url ?? '');
  response.writeHead(recorded === undefined ? 404 : 200, recorded?.headers ?? []);
  response.end(recorded?.body);
});

serveParent(async (recorded: RecordedResponse[]) => {
  responses = new Map(recorded.map((each) => [each.path, each]));
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
});
