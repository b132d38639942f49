import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface OtherSite {
  /** Another origin than that of the services of the tests: `http://127.0.0.1:PORT`. */
  origin: string;
  /** The paths that were requested. */
  requested: string[];
}

export interface OtherFile {
  content: string | Uint8Array;
  type: string;
  headers?: Record<string, string>;
}

/** Serves files at another origin until the test ends. The keys are their paths. */
export async function startOtherSite(files: Record<string, OtherFile>): Promise<OtherSite> {
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    const file = files[url];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': file.type, ...file.headers }).end(file.content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requested };
}
