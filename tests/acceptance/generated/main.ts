import { parseArgs } from 'node:util';
import { startOrFindService } from '../service-under-test.ts';
import { describeCounts, runGenerated } from './run.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    // An `operationId` of /openapi.json. Without this option, all operations are tested.
    only: { type: 'string' },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (!(requests > 0) || !Number.isInteger(seed))
  throw new Error('--requests must be a positive number, and --seed an integer');

const service = await startOrFindService();
const { baseUrl, adminKey, environment, openApi } = service;
try {
  if (adminKey === null) throw new Error('with BADGE_BASE_URL, set BADGE_ADMIN_KEY too');
  process.stdout.write(`seed ${seed}, ${requests} requests\n`);
  const startedTimestamp = Date.now();
  const run = { baseUrl, adminKey, environment, document: openApi, requests, seed, only: values.only };
  const { counts, violations } = await runGenerated(run);
  const seconds = Math.round((Date.now() - startedTimestamp) / 1_000);
  process.stdout.write(describeCounts(counts));
  for (const violation of violations) process.stdout.write(`FAILED: ${violation}\n`);
  const responses = [...counts.values()]
    .flatMap((statuses) => [...statuses.values()])
    .reduce((a, b) => a + b, 0);
  const outcome = violations.length === 0 ? 'passed' : `failed, ${violations.length} violations`;
  process.stdout.write(`seed ${seed}: ${responses} responses in ${seconds} s, ${outcome}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  await service.stop();
}
