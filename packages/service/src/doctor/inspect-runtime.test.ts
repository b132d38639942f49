import { expect, test } from 'vitest';
import { inspectRuntime } from './inspect-runtime.ts';

type Runtime = Omit<Parameters<typeof inspectRuntime>[0], 'version'>;
const inspect = (runtime: Runtime) => inspectRuntime({ version: '1.2.3', ...runtime }).slice(1);
const levels = (runtime: Runtime) => inspect(runtime).map(({ level }) => level);

test('inspectRuntime states the version', () => {
  const runtime = { nodeVersion: '24.0.0', curveImplementation: 'libsecp256k1', hasWebPages: true };
  expect(inspectRuntime({ version: '1.2.3', ...runtime })[0]).toMatchObject({
    check: 'Badge',
    found: '1.2.3',
  });
});

test.each(['22.18.0', '22.19.1', '24.0.0'])('inspectRuntime reports Node %s as ok', (nodeVersion) => {
  expect(levels({ nodeVersion, curveImplementation: 'libsecp256k1', hasWebPages: true })).toEqual([
    'ok',
    'ok',
    'ok',
  ]);
});

test.each(['22.17.9', '20.19.0', '18.20.0'])(
  'inspectRuntime reports Node %s, which is too old, as a problem',
  (nodeVersion) => {
    expect(levels({ nodeVersion, curveImplementation: 'libsecp256k1', hasWebPages: true })).toEqual([
      'problem',
      'ok',
      'ok',
    ]);
  },
);

test('inspectRuntime warns if signatures are verified in JavaScript', () => {
  expect(levels({ nodeVersion: '24.0.0', curveImplementation: 'noble-curves', hasWebPages: true })).toEqual([
    'ok',
    'warning',
    'ok',
  ]);
});

test('inspectRuntime warns if the web pages are not built', () => {
  const [, , finding] = inspect({
    nodeVersion: '24.0.0',
    curveImplementation: 'libsecp256k1',
    hasWebPages: false,
  });
  expect(finding).toMatchObject({ level: 'warning', advice: expect.stringContaining('npm run prepare') });
});
