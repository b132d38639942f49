import { globSync, readFileSync } from 'node:fs';

// The service uses only the public API of Node. Private parts change without notice, even in a patch of Node.
const FORBIDDEN: [pattern: RegExp, reason: string][] = [
  [/\b_handle\b/, 'the handle of a socket is private'],
  [/\bHTTPParser\b|\bkOn[A-Z]\w*|\bonIncoming\b/, 'the HTTP parser and its slots are private'],
  [/\bgetOwnPropertySymbols\b/, "symbols are Node's way to hide private parts"],
  [/\bprocess\.binding\b|\binternalBinding\b/, 'internal bindings are private'],
  [/\/proc\/net\b/, 'the kernel shows connections there, and only on Linux'],
  // A listener that Node or a library has added is private too: its place and its existence can change.
  [
    /\.(prepend(Once)?Listener|(rawL|l)isteners|removeAllListeners)\(/,
    'do not reorder or remove the listeners of others',
  ],
];

const files = globSync('packages/service/src/**/*.ts').filter(
  (file) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
);
const violations = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      FORBIDDEN.flatMap(([pattern, reason]) => {
        const [found] = pattern.exec(line) ?? [];
        return found === undefined ? [] : [`${file}:${index + 1}: ${found}: ${reason}`];
      }),
    ),
);
if (violations.length > 0) {
  process.stderr.write(`${violations.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(`the service uses no private part of Node in ${files.length} files\n`);
