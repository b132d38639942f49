import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../packages/service/src/testing/services.ts';
import { expectAllSteps, runDemo } from './testing/run-demo.ts';

test('the demo runs on a running service, and prints the URLs of the pictures', async () => {
  const service = await startTestService();
  onTestFinished(() => service.stop());
  const { stdout } = await runDemo(['--url', service.url], { BADGE_ADMIN_KEY: service.adminKey });
  expectAllSteps(stdout);
  expect(stdout).toMatch(/The pictures\n +Speaker +http:\S+\/images\/token\/1\.png\n +Guest +http:/);
});
