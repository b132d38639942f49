import { BadgeApiError, BadgeConnectionError, type Problem } from '@badge/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ConnectionProblem, findConnectionProblem, keepTrying } from './keep-trying.ts';

const lost = new BadgeConnectionError('The connection failed.');

test('repeats a call until it succeeds, and reports the problem until then', async () => {
  const { options, problems, wakeUps } = createOptions();
  let calls = 0;
  const result = keepTrying(async () => {
    calls += 1;
    if (calls < 4) {
      // The next pause begins after this call has failed.
      setTimeout(() => wakeUps.dispatchEvent(new Event('retry')));
      throw lost;
    }
    return calls;
  }, options);
  expect(await result).toBe(4);
  // The first failure is not reported, because its pause is short.
  expect(problems).toEqual(['unreachable', 'unreachable', null]);
});

test('continues at once when the device is online again', async () => {
  // With fake timers, only the event ends the pause.
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { options, problems, wakeUps } = createOptions({ isOnline: false });
  const replies: Promise<string>[] = [Promise.reject(lost), Promise.resolve('done')];
  const result = keepTrying(() => replies.shift() ?? Promise.reject(lost), options);
  await vi.advanceTimersByTimeAsync(0);
  wakeUps.dispatchEvent(new Event('online'));
  expect(await result).toBe('done');
  expect(problems).toEqual(['offline', null]);
});

test('throws an error that another attempt would get too', async () => {
  const { options } = createOptions();
  const error = createApiError('NoTokensLeft', 409);
  await expect(keepTrying(() => Promise.reject(error), options)).rejects.toBe(error);
});

test('ends when it is aborted', async () => {
  const { options, controller } = createOptions();
  const result = keepTrying(() => Promise.reject(lost), options);
  setTimeout(() => controller.abort());
  await expect(result).rejects.toThrow('aborted');
});

test.for<[unknown, boolean, ConnectionProblem | null]>([
  [lost, true, 'unreachable'],
  [lost, false, 'offline'],
  [createApiError('RateLimited', 429), true, 'busy'],
  [createApiError('Unavailable', 503), true, 'unavailable'],
  [createApiError('InternalError', 500), true, null],
  [createApiError('NoTokensLeft', 409), true, null],
  [createApiError('Unavailable', 503, 'an operation'), true, null],
  [new Error('a bug'), true, null],
])('findConnectionProblem(%o, %j) is %j', ([error, isOnline, problem]) => {
  expect(findConnectionProblem(error, isOnline)).toBe(problem);
});

function createApiError(
  name: Problem['name'],
  status: number,
  operationId: string | null = null,
): BadgeApiError {
  const problem = { type: '', title: '', status, detail: '', instance: '', name, error: '' };
  return new BadgeApiError(problem, { operationId });
}

function createOptions({ isOnline = true } = {}) {
  const wakeUps = new EventTarget();
  const controller = new AbortController();
  const problems: (ConnectionProblem | null)[] = [];
  const options = {
    signal: controller.signal,
    wakeUps,
    isOnline: () => isOnline,
    onProblem: (problem: ConnectionProblem | null) => problems.push(problem),
  };
  return { options, problems, wakeUps, controller };
}
