import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// A service that was killed is back sooner if its code is compiled already. Not in the shared place that is Node's
// default, where others could put code; where this one cannot be written to, nothing is kept.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/badge', import.meta.url)));

const { runCli } = await import('./cli/cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
