// The entry point of the npm scripts. It is JavaScript, so that a Node too old for TypeScript prints a clear error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `badge: Node ${process.versions.node} is too old: install 22.18 or newer. On Linux, npm ci installs a newer Node, and npm start, npm run migrate and npm run doctor use it.\n`,
  );
  process.exit(1);
}
await import('./src/main.ts');
