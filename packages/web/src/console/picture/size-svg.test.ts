import { expect, test } from 'vitest';
import { sizeSvg } from './size-svg.ts';

test.each([
  ['width and height', 'width="120" height="60px"', 'width="4096" height="2048" viewBox="0 0 120 60"'],
  ['units', 'width="1in" height=\'25.4mm\'', 'width="2048" height="2048" viewBox="0 0 96 96"'],
  ['only a box', 'viewBox="0 0 24 12"', 'width="4096" height="2048" viewBox="0 0 24 12"'],
  [
    'a box with commas, and sides in percent',
    'width="100%" height="100%" viewBox="-5,-5,10,20"',
    'width="2048" height="4096" viewBox="-5,-5,10,20"',
  ],
  ['one side and a box', 'width="100" viewBox="0 0 50 25"', 'width="4096" height="2048" viewBox="0 0 50 25"'],
  ['one side', 'height="80"', 'width="2048" height="2048" viewBox="0 0 80 80"'],
  ['no size', 'id="a"', 'width="4096" height="2048" viewBox="0 0 300 150" id="a"'],
  [
    'a stroke',
    'stroke-width="2" viewBox="0 0 1 1"',
    'width="2048" height="2048" stroke-width="2" viewBox="0 0 1 1"',
  ],
])('an SVG with %s gets the size in which it is drawn', (_, attributes, expected) => {
  expect(sizeSvg(`<svg ${attributes}><path d=""/></svg>`)).toBe(`<svg ${expected}><path d=""/></svg>`);
});

test.each([
  ['a declaration and a comment', '<?xml version="1.0"?>\n<!-- <svg width="1" height="9"> -->\n'],
  [
    'definitions, as Illustrator writes them',
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [\n<!ENTITY ns "http://a/>">\n]>\n',
  ],
])('%s before an SVG stay as they are', (_, prolog) => {
  const svg = `${prolog}<svg:svg viewBox='0 0 2 2' data-a=">"><svg width="5"/></svg:svg>`;
  expect(sizeSvg(svg)).toBe(
    `${prolog}<svg:svg width="2048" height="2048" viewBox='0 0 2 2' data-a=">"><svg width="5"/></svg:svg>`,
  );
});

test.each(['', '<html></html>', '<svgs/>', '<svg width="0" height="10"/>', '<svg width="1'])(
  '%j has no size',
  (text) => {
    expect(sizeSvg(text)).toBe(null);
  },
);
