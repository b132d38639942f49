import { readFileSync } from 'node:fs';

// Checks that `allowScripts` in package.json lists every package with an install script: true to run it,
// false to skip it. npm 11.16 and newer obey the list, and `strict-allow-scripts` in .npmrc makes them stop
// at an unlisted script. Older versions run every script.

interface LockedPackage {
  name?: string;
  hasInstallScript?: boolean;
}

const { allowScripts } = read<{ allowScripts: Record<string, unknown> }>('package.json');
const { packages } = read<{ packages: Record<string, LockedPackage> }>('package-lock.json');

const withScript = new Set(
  Object.entries(packages)
    .filter(([, { hasInstallScript = false }]) => hasInstallScript)
    .map(([path, { name }]) => name ?? path.split('node_modules/').at(-1) ?? path),
);
const errors = [
  ...[...withScript]
    .filter((name) => typeof allowScripts[name] !== 'boolean')
    .map(
      (name) =>
        `${name} has an install script: read the script, then set ${name} to true or false in allowScripts`,
    ),
  ...Object.keys(allowScripts)
    .filter((name) => !withScript.has(name))
    .map((name) => `${name} is in allowScripts, but has no install script in package-lock.json`),
];

if (errors.length > 0) {
  process.stderr.write(`${errors.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(`${withScript.size} install scripts are in allowScripts\n`);

function read<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
