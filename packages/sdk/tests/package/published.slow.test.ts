import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { publint } from 'publint';
import { afterAll, expect, test } from 'vitest';

// The package as npm would get it, without a service: its files, and what resolvers, compilers and require()
// make of it.

const PACKAGE_DIR = join(import.meta.dirname, '../..');
const ROOT = join(PACKAGE_DIR, '../..');
const project = mkdtempSync(join(tmpdir(), 'badge-published-'));
afterAll(() => rmSync(project, { recursive: true }));
const tarball = join(project, 'sdk.tgz');
const { name } = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')) as {
  name: string;
};
const installed = join(project, 'node_modules', name);
execFileSync('npm', ['pack', PACKAGE_DIR, '--pack-destination', project], { stdio: 'pipe' });
renameSync(globSync(join(project, '*.tgz'))[0] ?? '', tarball);
mkdirSync(installed, { recursive: true });
execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);

test('the tarball contains the built module, its declarations and what explains it', () => {
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const modules = globSync('*.ts', { cwd: join(PACKAGE_DIR, 'src') })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => `dist/${file.replace('.ts', '.d.ts')}`);
  const files = [
    ...modules,
    'dist/LICENSE',
    'dist/index.js',
    'dist/protocol.d.ts',
    'package.json',
    'README.md',
  ];
  expect(listed.sort()).toEqual(files.map((file) => `package/${file}`).sort());
});

test('publint has nothing to say, and finds an entry that is missing', async () => {
  const { buffer } = new Uint8Array(readFileSync(tarball));
  expect((await publint({ pack: { tarball: buffer }, strict: true })).messages).toEqual([]);
  const copy = join(project, 'broken');
  execFileSync('cp', ['-r', installed, copy]);
  rmSync(join(copy, 'dist/index.js'));
  const { messages } = await publint({ pkgDir: copy, pack: false });
  expect(messages.map(({ code }) => code)).toContain('FILE_DOES_NOT_EXIST');
});

test('npm may publish it for everybody, with its provenance', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('private');
  expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
  // npm compares it with the repository of the workflow.
  const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(manifest.repository.url).toBe(`git+https://github.com/${repository.replace('github:', '')}.git`);
});

const USE = `
const badge = sdk.createBadgeClient({ url: 'http://localhost:3000' });
export const token: Promise<sdk.Token> = badge.getToken({ tokenId: 1 });
// @ts-expect-error: a token has no such field, so the types are not \`any\`
export const wrong = token.then((one) => one.headlines);
`;
const IMPORT = `import * as sdk from '${name}';${USE}`;
const REQUIRE = `import sdk = require('${name}');${USE}`;
const DYNAMIC = `export const client = import('${name}').then(({ createBadgeClient }) => createBadgeClient({ url: '' }).getToken({ tokenId: 1 }));
// @ts-expect-error: a token has no such field, so the types are not \`any\`
export const wrong = client.then((one) => one.headlines);
`;

/** What the compiler says about a file of the project. */
function compile(file: string, source: string, module: string, moduleResolution: string): string {
  writeFileSync(join(project, file), source);
  const options = `--ignoreConfig --noEmit --strict --target es2022 --lib es2022,dom --module ${module} --moduleResolution ${moduleResolution}`;
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, ...options.split(' '), '--types', '', file], {
    cwd: project,
    encoding: 'utf8',
  });
  return stdout;
}

// TypeScript 7 has no moduleResolution "node10". What it reads, `main` and `types`, publint looks at.
test.each([
  ['an ES module', 'bundler', 'es2022', 'bundler', 'a.ts', IMPORT],
  ['an ES module', 'node16', 'node16', 'node16', 'a.mts', IMPORT],
  ['an ES module', 'nodenext', 'nodenext', 'nodenext', 'a.mts', IMPORT],
  ['CommonJS', 'node16', 'node16', 'node16', 'a.cts', DYNAMIC],
  ['CommonJS', 'module node20', 'node20', 'node16', 'a.cts', REQUIRE],
  ['CommonJS', 'nodenext', 'nodenext', 'nodenext', 'a.cts', REQUIRE],
])('%s with %s compiles', (_, __, module, resolution, file, source) => {
  expect(compile(file, source, module, resolution)).toBe('');
});

test('the Node of the machine requires it, without a warning', () => {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const PATH = folders.filter((folder) => !folder.includes('node_modules')).join(delimiter);
  const code = `console.log(typeof require('${name}').createBadgeClient)`;
  const { stdout, stderr } = spawnSync('node', ['-e', code], {
    cwd: project,
    env: { PATH },
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'function\n', stderr: '' });
});

test('every link of its README leads somewhere on npmjs.com', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\(([^()\s]+)\)|^\[[^\]]+\]: (\S+)|(?:src|href)="([^"]+)"/gm)];
  const targets = links.map(([, inline, reference, html]) => inline ?? reference ?? html ?? '');
  expect(targets.length).toBeGreaterThan(3);
  expect(targets.filter((target) => !/^(https:\/\/|#)/.test(target))).toEqual([]);
  const own = /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:blob|tree)\/main\/([^#]+)/;
  const paths = targets.flatMap((target) => own.exec(target)?.[1] ?? []);
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
