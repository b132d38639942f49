import { startChild } from './child.ts';

/** A response of the service. */
export interface RecordedResponse {
  path: string;
  /** Names and values alternate. */
  headers: string[];
  body: Buffer;
}

/** A process with a `node:http` server that responds with recorded bytes and does nothing else. */
export interface BareServer {
  /**
   * Records the service's responses to these paths. Returns the port on which the bare server then sends
   * them.
   */
  record(serviceUrl: string, paths: string[]): Promise<number>;
  stop(): void;
}

// Headers that are not recorded. The bare server's Node sets the first three itself. In place of the last
// two, `record` adds the length of the body that it has read.
const UNRECORDED_HEADERS = ['connection', 'date', 'keep-alive', 'transfer-encoding', 'content-length'];

export function startBareServer(): BareServer {
  const child = startChild<RecordedResponse[], number>(new URL('bare-server-process.ts', import.meta.url));
  return {
    async record(serviceUrl, paths) {
      const recorded: RecordedResponse[] = [];
      for (const path of paths) {
        const response = await fetch(`${serviceUrl}${path}`);
        if (response.status !== 200) throw new Error(`${path} returned ${response.status}`);
        const body = Buffer.from(await response.arrayBuffer());
        const headers = [...response.headers].filter(([name]) => !UNRECORDED_HEADERS.includes(name)).flat();
        recorded.push({ path, headers: [...headers, 'content-length', String(body.length)], body });
      }
      return await child.call(recorded);
    },
    stop: child.stop,
  };
}
