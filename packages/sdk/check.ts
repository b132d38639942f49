import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSdk, findFieldsWithoutComment, measureSdkBytes } from './build.ts';

// Checks the built SDK:
// - It is not too large.
// - Every public name has a comment that is a sentence, and what can be called also has an example.
// - Every field of the declarations has a comment.
// - The examples compile with the built declarations, also those in the README and in the guides.
// - The declarations need no types of Node, and are equal to the types of @badge/protocol.
const MAX_BYTES = 13_000;
const SDK = import.meta.dirname;
const ROOT = join(SDK, '../..');
/** The folder for the files to compile. */
const CHECK_DIR = join(SDK, '.check');

interface Documented {
  name: string;
  comment: string;
}

const errors: string[] = [];
await buildSdk();
const bytes = await measureSdkBytes();
if (bytes > MAX_BYTES)
  errors.push(`the SDK has ${bytes} bytes after minification and gzip; ${MAX_BYTES} are allowed`);

const sources = globSync(join(SDK, 'src/*.ts'), { exclude: (name) => name.endsWith('.test.ts') });
const texts = sources.filter((file) => !file.endsWith('/index.ts')).map((file) => readFileSync(file, 'utf8'));
const names = [...publicNames(), ...methodNames('badge-client.ts', 'BadgeClient')];
const typeNames = new Set(namesInTypes());
const documented = texts.flatMap(findComments);
const examples: string[] = [];
for (const name of names) {
  const comment = documented.find((one) => one.name === name)?.comment ?? '';
  const [sentence = '', ...code] = comment.split(/^@example$/m);
  if (!/^[A-Z].*\.$/s.test(sentence.trim())) errors.push(`${name} has no comment that is a sentence`);
  if (code.length === 0 && !typeNames.has(name)) errors.push(`${name} has no @example`);
  examples.push(...code);
}

for (const file of globSync(join(SDK, 'dist/*.d.ts'))) {
  for (const { at, name } of findFieldsWithoutComment(readFileSync(file, 'utf8').split('\n')))
    errors.push(`${file}:${at + 1}: ${name} has no comment: write one, or add it to field-comments.ts`);
}

for (const page of [join(SDK, 'README.md'), ...globSync(join(ROOT, 'docs/guides/*.md'))]) {
  const text = readFileSync(page, 'utf8');
  examples.push(...[...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code));
}

rmSync(CHECK_DIR, { recursive: true, force: true });
mkdirSync(CHECK_DIR);
try {
  writeExamples();
  writeComparison();
  compile('examples', { include: ['*.ts'], exclude: ['browser.ts'] });
  write('browser.ts', `import * as sdk from '@badge/sdk';\nexport { sdk };\n`);
  compile('browser', {
    compilerOptions: { lib: ['es2022', 'dom'], types: [], skipLibCheck: false },
    include: ['browser.ts'],
    exclude: [],
  });
} finally {
  rmSync(CHECK_DIR, { recursive: true });
}

if (errors.length > 0) {
  process.stderr.write(`${errors.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(
  `the SDK has ${bytes} bytes after minification and gzip, and ${examples.length} examples that compile\n`,
);

/** The names that index.ts exports. */
function publicNames(): string[] {
  const index = readFileSync(join(SDK, 'src/index.ts'), 'utf8');
  const named = [...index.matchAll(/export (?:type )?\{([^}]+)\}/g)].flatMap(([, list = '']) =>
    list.split(','),
  );
  return [...named.map((name) => name.trim()).filter((name) => name !== ''), ...namesInTypes()];
}

/** The names of what calls take and return, which index.ts exports too. */
function namesInTypes(): string[] {
  const types = readFileSync(join(SDK, 'src/types.ts'), 'utf8');
  return [...types.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name = '']) => name);
}

/** The methods of an interface. */
function methodNames(file: string, interfaceName: string): string[] {
  const text = readFileSync(join(SDK, 'src', file), 'utf8');
  const [, body = ''] = text.split(`export interface ${interfaceName} {`);
  return [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, name = '']) => name);
}

/** The comments of a file, with the names that they describe. */
function findComments(text: string): Documented[] {
  const pattern =
    /^ *\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:export (?:interface|type|class|(?:async )?function) (\w+)|(\w+)\()/gm;
  return [...text.matchAll(pattern)].map(([, comment = '', exported, method]) => ({
    name: exported ?? method ?? '',
    comment: comment.replaceAll(/^ *\* ?/gm, ''),
  }));
}

/** Writes each example as a module. It can use every public name and the values below. */
function writeExamples(): void {
  const source = readFileSync(join(SDK, 'src/index.ts'), 'utf8');
  const values = [...source.matchAll(/export \{([^}]+)\}/g)].flatMap(([, list = '']) =>
    list.trim().split(', '),
  );
  const types = publicNames().filter((name) => !values.includes(name));
  const imports = [
    `import { ${values.join(', ')} } from '@badge/sdk';`,
    `import type { ${types.join(', ')} } from '@badge/sdk';`,
    `import { readFile } from 'node:fs/promises';`,
    `import { Wallet } from 'ethers';`,
    `import { createWalletClient, custom } from 'viem';`,
    `import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';`,
  ].join('\n');
  write(
    'values.d.ts',
    `import type { BadgeClient, Eip1193Provider, PendingOperation } from '@badge/sdk';
import type { EIP1193Provider } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
declare global {
  const badge: BadgeClient;
  const operation: PendingOperation;
  const operationId: string;
  const account: PrivateKeyAccount;
  const provider: EIP1193Provider;
  const address: string;
  const apiKey: string;
  const apiKeyId: string;
  const claimCode: string;
  const claimLinkId: string;
  const confirmationCode: string;
  const exportId: number;
  const importId: number;
  const invitationId: string;
  const webhookId: string;
  const deliveryId: string;
  const secret: string;
  const request: Request;
  const assetFile: Blob;
  const bytes: Uint8Array<ArrayBuffer>;
}
`,
  );
  // An example that has imports of its own is complete.
  for (const [index, example] of examples.entries())
    write(`example-${index}.ts`, `${/^import /m.test(example) ? '' : imports}\n${example}\nexport {};\n`);
}

/** Writes a module that compiles only if the built types and those of @badge/protocol are the same. */
function writeComparison(): void {
  const declarations = readFileSync(join(SDK, 'dist/protocol.d.ts'), 'utf8');
  const types = [...declarations.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, name = '']) => name);
  const lines = types.flatMap((name) => [
    `export const built${name}: built.${name} = {} as source.${name};`,
    `export const source${name}: source.${name} = {} as built.${name};`,
  ]);
  write(
    'comparison.ts',
    `import type * as source from '@badge/protocol';
import type * as built from '@badge/sdk/protocol';
${lines.join('\n')}
`,
  );
}

/** Compiles files of CHECK_DIR. Adds what TypeScript reports, and the examples that it names, to `errors`. */
function compile(name: string, { compilerOptions = {}, ...files }: Record<string, unknown>): void {
  const project = join(CHECK_DIR, `tsconfig.${name}.json`);
  const options = {
    extends: '../../../tsconfig.json',
    compilerOptions: {
      paths: { '@badge/sdk': ['../dist/index.d.ts'], '@badge/sdk/protocol': ['../dist/protocol.d.ts'] },
      noUnusedLocals: false,
      ...(compilerOptions as object),
    },
    ...files,
  };
  writeFileSync(project, JSON.stringify(options));
  try {
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], {
      encoding: 'utf8',
    });
  } catch (error) {
    errors.push((error as { stdout: string }).stdout);
    for (const [, index] of (error as { stdout: string }).stdout.matchAll(/example-(\d+)\.ts/g))
      errors.push(`example-${index}:\n${examples[Number(index)]}`);
  }
}

function write(file: string, text: string): void {
  writeFileSync(join(CHECK_DIR, file), text);
}
