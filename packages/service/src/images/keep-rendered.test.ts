import { expect, it } from 'vitest';
import { keepRendered } from './keep-rendered.ts';

it('renders each key once, also when calls overlap', async () => {
  const rendered: string[] = [];
  const render = keepRendered(async (key) => {
    rendered.push(key);
    return Buffer.from(key);
  });
  const [one, same, other] = await Promise.all([render('a'), render('a'), render('b')]);
  expect(same).toBe(one);
  expect(other.toString()).toBe('b');
  expect(await render('a')).toBe(one);
  expect(rendered).toEqual(['a', 'b']);
});

it('does not keep a failed render', async () => {
  const outcomes = [Promise.reject(new Error('out of memory')), Promise.resolve(Buffer.from('picture'))];
  const render = keepRendered(() => outcomes.shift() ?? Promise.reject(new Error('rendered a third time')));
  await expect(render('a')).rejects.toThrow('out of memory');
  expect((await render('a')).toString()).toBe('picture');
  expect((await render('a')).toString()).toBe('picture');
});
