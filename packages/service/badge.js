// The entry point of the npm scripts. It is JavaScript, so that a Node too old for TypeScript prints a clear error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `badge: Node ${process.versions.node} is too old: install 22.18 or newer. On Linux, npm ci installs a newer Node, and npm start, npm run migrate and npm run doctor use it.\n`,
  );
  process.exit(1);
}
// Without these variables, glibc keeps most of the memory that a flood of requests has needed. It reads them when a
// process starts. So this process replaces itself once, and keeps its id. Other C libraries ignore them.
const MALLOC_VARIABLES = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: String(128 * 1024) };
if (process.platform === 'linux' && Object.keys(MALLOC_VARIABLES).some((name) => !(name in process.env))) {
  const { execPath, execArgv, argv, env } = process;
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...MALLOC_VARIABLES, ...env });
}
await import('./src/main.ts');
