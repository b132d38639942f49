import { expect, test } from 'vitest';
import { atLeast, atMost } from './figure.ts';
import { judge } from './report.ts';
import { median, percentile } from './statistics.ts';

test.for([
  { title: 'a ratio below a minimum', figure: 900, ratio: 0.29, goal: atLeast(0.3, 0.45), expected: 'no' },
  { title: 'a ratio at a minimum', figure: 1, ratio: 0.3, goal: atLeast(0.3, 0.45), expected: 'yes' },
  {
    title: 'a ratio above the stretch',
    figure: 1,
    ratio: 0.5,
    goal: atLeast(0.3, 0.45),
    expected: 'stretch',
  },
  { title: 'a figure above a maximum', figure: 301, ratio: null, goal: atMost(300, 200), expected: 'no' },
  {
    title: 'a figure between stretch and goal',
    figure: 250,
    ratio: null,
    goal: atMost(300, 200),
    expected: 'yes',
  },
  {
    title: 'a figure that is not a number',
    figure: Number.NaN,
    ratio: null,
    goal: atMost(300),
    expected: 'no',
  },
  { title: 'a figure without a goal', figure: 1, ratio: 2, goal: null, expected: '' },
])('$title is judged as "$expected"', ({ figure, ratio, goal, expected }) => {
  expect(judge({ figure, ratio, goal })).toBe(expected);
});

test('the median is the value in the middle, or the mean of the two in the middle', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([9, 1, 2])).toBe(2);
});

test('a percentile is one of the values', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(percentile(values, 0.99)).toBe(198);
  expect(percentile(values, 1)).toBe(200);
  expect(percentile([7], 0.5)).toBe(7);
});
