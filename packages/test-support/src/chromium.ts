import { execFileSync } from 'node:child_process';

// Debian's packages have these names too. The shell is Chromium without its own windows, so tests take a
// third less time.
const COMMANDS = ['chromium-headless-shell', 'chromium'];

/** Returns the path of an installed Chromium; null if there is none. In CI, .ci/run installs one. */
export function findChromium(): string | null {
  for (const command of COMMANDS) {
    try {
      return execFileSync('which', [command], { encoding: 'utf8' }).trim();
    } catch {
      // It is not installed.
    }
  }
  return null;
}
