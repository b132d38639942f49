import { mutationLogLine } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import { rewriteOnLoad } from './rewrite.ts';

// Loaded before the service. The query string of this module's URL is the name of the mutant.
const name = decodeURIComponent(new URL(import.meta.url).search.slice(1));
const mutant = MUTANTS.find((one) => one.name === name);
if (mutant === undefined) throw new Error(`there is no mutant ${name}`);
rewriteOnLoad(mutant.changes, () => process.stderr.write(`${mutationLogLine(name)}\n`));
