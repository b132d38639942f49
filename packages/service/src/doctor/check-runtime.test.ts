import { expect, test } from 'vitest';
import { checkRuntime } from './check-runtime.ts';

const levels = (runtime: Parameters<typeof checkRuntime>[0]) =>
  checkRuntime(runtime).map(({ level }) => level);

test.each(['22.18.0', '22.19.1', '24.0.0'])('Node %s is new enough', (nodeVersion) => {
  expect(levels({ nodeVersion, curveImplementation: 'libsecp256k1' })).toEqual(['ok', 'ok']);
});

test.each(['22.17.9', '20.19.0', '18.20.0'])('Node %s is too old', (nodeVersion) => {
  expect(levels({ nodeVersion, curveImplementation: 'libsecp256k1' })).toEqual(['problem', 'ok']);
});

test('signatures checked in JavaScript are a warning', () => {
  expect(levels({ nodeVersion: '24.0.0', curveImplementation: 'noble-curves' })).toEqual(['ok', 'warning']);
});
