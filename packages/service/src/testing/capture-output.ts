import { afterEach, beforeEach, vi } from 'vitest';
import { type Output, stderr, stdout } from '../output.ts';

/** Keeps what each test of a file prints, in place of printing it. Undoes mocks and variables after each. */
export function captureOutput(): { stdout: string; stderr: string } {
  const printed = { stdout: '', stderr: '' };
  beforeEach(() => {
    for (const [name, output] of Object.entries({ stdout, stderr }) as ['stdout' | 'stderr', Output][]) {
      printed[name] = '';
      vi.spyOn(output, 'write').mockImplementation((text) => {
        printed[name] += text;
      });
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return printed;
}
