import { parseArgs } from 'node:util';
import { findService } from '../find-service.ts';
import { describeCounts, runGenerated } from './run.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string' },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
if (!(requests > 0) || !Number.isInteger(seed)) throw new Error('--requests and --seed are numbers');

const service = await findService();
const { baseUrl, adminKey, environment, openApi } = service;
try {
  if (adminKey === null) throw new Error('BADGE_BASE_URL needs BADGE_ADMIN_KEY here');
  process.stdout.write(`seed ${seed}, ${requests} requests\n`);
  const startedAt = Date.now();
  const run = { baseUrl, adminKey, environment, document: openApi, requests, seed, only: values.only };
  const { counts, complaints } = await runGenerated(run);
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  process.stdout.write(describeCounts(counts));
  for (const complaint of complaints) process.stdout.write(`FAILED: ${complaint}\n`);
  const sent = [...counts.values()].flatMap((statuses) => [...statuses.values()]).reduce((a, b) => a + b, 0);
  const outcome = complaints.length === 0 ? 'passed' : `failed, ${complaints.length} complaints`;
  process.stdout.write(`seed ${seed}: ${sent} answers in ${seconds} s, ${outcome}\n`);
  process.exitCode = complaints.length === 0 ? 0 : 1;
} finally {
  await service.stop();
}
