import { test } from 'vitest';
import { expectRestart } from './testing/killed-server.ts';
import { modes } from './testing/servers.ts';

// One mode stands for the others, which are tested in server-process.slow.test.ts.
test.for(modes.slice(0, 1))(
  'in mode %s, a killed server is restarted, with its data and the owner lock',
  expectRestart,
);
