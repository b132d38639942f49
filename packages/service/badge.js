// The entry point of the npm scripts. It is JavaScript, so that a Node too old for TypeScript prints a clear
// error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `badge: Node ${process.versions.node} is too old: install 22.18 or newer. On Linux, npm ci installs a newer Node, and npm start, npm run migrate and npm run doctor use it.\n`,
  );
  process.exit(1);
}
// glibc and Node read these variables when a process starts. So this process replaces itself once, and keeps
// its id. Without the first two, glibc keeps most of the memory that a flood of requests has needed. Other C
// libraries ignore them. Without the third, Node's space for new objects grows to 134 MB under load. With it,
// this space has at most 32 MB, and a request takes as much processor time as without it. With half of the 32
// MB, creating a token took 10 % more.
const VARIABLES = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: String(128 * 1024),
  NODE_OPTIONS: '--max-semi-space-size=16',
};
if (process.platform === 'linux' && Object.keys(VARIABLES).some((name) => !(name in process.env))) {
  const { execPath, execArgv, argv, env } = process;
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...VARIABLES, ...env });
}
await import('./src/main.ts');
