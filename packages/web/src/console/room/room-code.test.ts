import { expect, test } from 'vitest';
import { findRoomCode } from './room-code.ts';

test.for([
  ['#7K2M-9QPD', '7K2M-9QPD'],
  ['#7k2m9qpd', '7K2M-9QPD'],
  ['', null],
  ['#key=badge_sandbox_1', null],
  ['#7K2M-9QPU', null],
  ['#7K2M-9QPDX', null],
] as const)('the code in %j is %j', ([fragment, expected]) => {
  expect(findRoomCode(fragment)).toBe(expected);
});
