import type { Changes } from './rewrite.ts';

/** Two workers in every process, woken together, so that they meet however many processes are dead. */
export const TWO_WORKERS: Changes = {
  'worker/worker.ts': [
    ['const running = run();', 'const running = Promise.all([run(), run()]);'],
    [
      'endPause = end;',
      `const endOther = endPause;
      endPause = () => {
        endPause = () => undefined;
        endOther();
        end();
      };`,
    ],
  ],
};
