import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Makes restarts faster. The cache is not in Node's default directory, which other users may be able to write
// to. If this one is not writable, Node caches nothing.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/badge', import.meta.url)));

const { runCli } = await import('./cli/cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
