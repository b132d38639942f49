import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../packages/service/src/testing/services.ts';
import { expectAllSteps, runDemo } from './testing/run-demo.ts';

test('the demo runs on a temporary service, and leaves only the pictures', async () => {
  const { stdout, temporaryDir } = await runDemo();
  expectAllSteps(stdout);
  const [pictureDir = '', ...others] = await readdir(temporaryDir);
  expect(others).toEqual([]);
  const pictures = await readdir(join(temporaryDir, pictureDir));
  expect(pictures.sort()).toEqual(['guest.png', 'speaker.png']);
  for (const picture of pictures) {
    const path = join(temporaryDir, pictureDir, picture);
    expect(stdout).toContain(path);
    // A PNG file begins with the byte 0x89 and these letters.
    expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
  }
});

test('the demo runs on a running service, and prints the URLs of the pictures', async () => {
  const service = await startTestService();
  onTestFinished(() => service.stop());
  const { stdout } = await runDemo(['--url', service.url], { BADGE_ADMIN_KEY: service.adminKey });
  expectAllSteps(stdout);
  expect(stdout).toMatch(/The pictures\n +Speaker +http:\S+\/images\/token\/1\.png\n +Guest +http:/);
});

test('the demo with --url, but without the key of the operator, prints how to pass the key', async () => {
  await expect(runDemo(['--url', 'http://localhost:3000'])).rejects.toMatchObject({
    code: 2,
    stdout: expect.stringContaining('BADGE_ADMIN_KEY=$(cat data/admin-key) npm run demo'),
  });
});

test('the demo with a wrong key of the operator prints the error and what to do', async () => {
  const service = await startTestService();
  onTestFinished(() => service.stop());
  await expect(runDemo(['--url', service.url], { BADGE_ADMIN_KEY: 'wrong' })).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^InvalidApiKey: .*\nCheck `apiKey`/m),
    stderr: '',
  });
});

test.each([[['--help']], [['--url', 'localhost:3000']]])('the demo prints its usage for %j', async (args) => {
  await expect(runDemo(args)).rejects.toMatchObject({
    code: 2,
    stdout: expect.stringContaining('npm run demo -- --url http://localhost:3000'),
  });
});
