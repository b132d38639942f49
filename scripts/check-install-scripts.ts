import { readFileSync } from 'node:fs';

// Which packages may run a script when they are installed is decided by name (package.json, "allowScripts"):
// true or false for every one that has a script. npm 11 holds to it; older ones run every script.
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
const faults = [
  ...[...withScript]
    .filter((name) => typeof allowScripts[name] !== 'boolean')
    .map((name) => `${name} has an install script: read it, then set it to true or false in allowScripts`),
  ...Object.keys(allowScripts)
    .filter((name) => !withScript.has(name))
    .map((name) => `${name} is in allowScripts, but package-lock.json has no install script of it`),
];

if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(`${withScript.size} install scripts are decided on\n`);

function read<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
