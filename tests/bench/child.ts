import { fork } from 'node:child_process';

/** A child process that responds to one message at a time. */
export interface Child<Request, Response> {
  call(request: Request): Promise<Response>;
  stop(): void;
}

/** Starts a module that calls `serveParent`. */
export function startChild<Request, Response>(module: URL): Child<Request, Response> {
  const child = fork(module, { serialization: 'advanced' });
  let pending: PromiseWithResolvers<Response> | undefined;
  child.on('message', (response) => pending?.resolve(response as Response));
  child.on('exit', (code) => pending?.reject(new Error(`${module.pathname} exited with ${code}`)));
  return {
    call(request) {
      pending = Promise.withResolvers();
      child.send(request as object);
      return pending.promise;
    },
    stop: () => void child.kill(),
  };
}

/** Processes the messages of the parent, and exits with it. */
export function serveParent<Request>(respond: (request: Request) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', async (request) => {
    const response = await respond(request as Request);
    process.send?.(response);
  });
}
