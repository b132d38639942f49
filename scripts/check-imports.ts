import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ALLOWED_IMPORTS } from './allowed-imports.ts';

// The files in domain/ that a domain file may import: those directly in domain/, rules and reads, but no
// writes.
const SHARED_IN_DOMAIN = /\/domain\/([\w-]+|[\w-]+\/(rules|(read|list)-[\w-]+))\.ts$/;

const violations: string[] = [];
// By file: the files that it imports, types included.
const importsOf = new Map<string, string[]>();
const files = globSync('*/**/*.{ts,tsx}', {
  exclude: (name) => name.includes('node_modules') || name === 'tests/acceptance/generators/generated',
});
for (const file of files) {
  // Tests may import what they test, and read the environment.
  if (/\.test\.tsx?$/.test(file)) continue;
  const folder = folderOf(file);
  const allowed = ALLOWED_IMPORTS[folder];
  if (allowed === undefined) {
    violations.push(
      `${file}: unknown folder ${folder}: add it to scripts/allowed-imports.ts and ARCHITECTURE.md`,
    );
    continue;
  }
  const text = readFileSync(file, 'utf8');
  const mayReadEnvironment = !folder.startsWith('service/') || /config\.ts$|\/testing\//.test(file);
  if (!mayReadEnvironment && /\bprocess\.env\b/.test(text)) {
    violations.push(`${file}: only config.ts reads process.env`);
  }
  // What the tests of the SDK share starts a service.
  if (file.startsWith('packages/sdk/src/testing/')) continue;
  checkImports(file, folder, allowed, text);
  checkDatabaseUse(file, folder, text);
}
checkCircles();

function checkDatabaseUse(file: string, folder: string, text: string): void {
  const mayUseSql =
    !folder.startsWith('service/') || folder === 'service/storage' || folder === 'service/testing';
  if (!mayUseSql && /from 'kysely'|from 'pg'/.test(text)) {
    violations.push(`${file}: only storage has SQL`);
  }
  // Finds `context.database`, and a parameter such as `{ database }: Context`.
  if (
    ['service/http', 'service/routes'].includes(folder) &&
    /\bcontext\.database\b|\bdatabase\b[^;]*\}: \w*<?Context\b/.test(text)
  ) {
    violations.push(`${file}: in http/ and routes/, only idempotency/ uses the database`);
  }
}

function checkImports(file: string, folder: string, allowed: string[], text: string): void {
  for (const [, specifier = ''] of text.matchAll(/(?:from|import|import\()\s*'([^']+)'/g)) {
    if (file.endsWith('/rules.ts') && /^node:(?!crypto|zlib)/.test(specifier)) {
      violations.push(`${file}: rules do no I/O, but it imports ${specifier}`);
    }
    if (specifier.startsWith('@badge/test-support')) {
      if (!mayImportTestSupport(file, folder))
        violations.push(`${file}: only tests and deploy may import ${specifier}`);
      continue;
    }
    const isRelative = specifier.startsWith('.');
    if (!isRelative && !specifier.startsWith('@badge/')) {
      const isShipped = file.startsWith('packages/sdk/src/') && !file.includes('/testing/');
      if (isShipped)
        violations.push(`${file}: the SDK must not import ${specifier}, because it has no dependencies`);
      continue;
    }
    // A package's name stands for its src folder, and `@badge/protocol/NAME` for one file of it.
    const target = isRelative
      ? normalize(join(dirname(file), specifier))
      : specifier
          .replace(/^@badge\/protocol\/([\w-]+)$/, 'packages/protocol/src/$1.ts')
          .replace(/^@badge\/([\w-]+).*/, 'packages/$1/src');
    importsOf.set(file, [...(importsOf.get(file) ?? []), target]);
    const targetFolder = folderOf(target);
    // The keys of ALLOWED_IMPORTS have this form.
    const path = target.replace(/^packages\/([\w-]+)\/src/, (_, name) =>
      name === 'service' ? name : `${name}/src`,
    );
    // Every folder of the service may import the package protocol.
    const isAllowed =
      (targetFolder === 'protocol/src' && folder.startsWith('service/')) ||
      allowed.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
    if (targetFolder !== folder && !isAllowed)
      violations.push(`${file}: ${folder} must not import ${targetFolder} (${specifier})`);
    if (folder === 'service/domain' && targetFolder === folder && !SHARED_IN_DOMAIN.test(target)) {
      violations.push(`${file}: a domain file must not import a write (${specifier})`);
    }
  }
}

// Each file is visited once, after the files that it imports. A file that is reached again while it is
// visited is in a circle.
function checkCircles(): void {
  const visited = new Set<string>();
  function visit(file: string, path: string[]): void {
    if (path.includes(file)) {
      violations.push(
        `files import each other in a circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`,
      );
      return;
    }
    if (visited.has(file)) return;
    visited.add(file);
    for (const imported of importsOf.get(file) ?? []) visit(imported, [...path, file]);
  }
  for (const file of importsOf.keys()) visit(file, []);
}

// Whether the file may import test-support. Test files are not checked.
function mayImportTestSupport(file: string, folder: string): boolean {
  return (
    file.includes('/testing/') ||
    file.includes('/browser-tests/') ||
    folder.startsWith('tests/') ||
    ['deploy', 'test-support/src'].includes(folder)
  );
}

function folderOf(file: string): string {
  // The path of most files is `packages/NAME/src/BELOW/DEEPER/…`.
  const [top = '', name = '', , below = '', deeper = ''] = file.split('/');
  if (top === 'tests') return `tests/${name}`;
  if (top !== 'packages') return top;
  if (file.startsWith('packages/web/browser-tests/')) return 'web/browser-tests';
  if (`${name}/${below}/${deeper}` in ALLOWED_IMPORTS) return `${name}/${below}/${deeper}`;
  return name === 'service' ? `service/${below}` : `${name}/src`;
}

if (violations.length > 0) {
  process.stderr.write(`${violations.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(`import rules hold in ${files.length} files\n`);
