import { expect, test } from 'vitest';
import { inspectRuntime } from './inspect-runtime.ts';

const levels = (runtime: Parameters<typeof inspectRuntime>[0]) =>
  inspectRuntime(runtime).map(({ level }) => level);

test.each(['22.18.0', '22.19.1', '24.0.0'])('Node %s is new enough', (nodeVersion) => {
  expect(levels({ nodeVersion, curveImplementation: 'libsecp256k1' })).toEqual(['ok', 'ok']);
});

test.each(['22.17.9', '20.19.0', '18.20.0'])('Node %s is too old', (nodeVersion) => {
  expect(levels({ nodeVersion, curveImplementation: 'libsecp256k1' })).toEqual(['problem', 'ok']);
});

test('inspectRuntime warns if signatures are verified in JavaScript', () => {
  expect(levels({ nodeVersion: '24.0.0', curveImplementation: 'noble-curves' })).toEqual(['ok', 'warning']);
});
