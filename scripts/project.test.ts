import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readReleaseNotes } from './release-notes.ts';

// What strangers meet first: the workflows, the addresses of the project, the steps of a release, and folders
// with secrets.

const ROOT = join(import.meta.dirname, '..');
const PLACEHOLDER = 'OWNER/badge';
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const FILES = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(md|ya?ml|json|ts|tsx|sh|conf|service|env|example)$|(^|\/)Dockerfile$/.test(file))
  .filter((file) => !file.endsWith('package-lock.json') && !file.startsWith('scripts/project.test'));
const TEXTS = FILES.flatMap((file) => {
  try {
    return [{ file, text: read(file) }];
  } catch {
    // A file that is deleted, but not yet in a commit.
    return [];
  }
});

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'badge-project-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** What GitHub's own parser says about a workflow. */
async function findWorkflowErrors(name: string, content: string): Promise<string[]> {
  // The parser imports JSON files without the attribute that Node demands.
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
  });
  const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
    '@actions/workflow-parser'
  );
  hooks.deregister();
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

const WORKFLOWS = globSync('.github/workflows/*.yml', { cwd: ROOT });

test.each(WORKFLOWS)('GitHub accepts %s, and each action is pinned to a commit', async (file) => {
  expect(await findWorkflowErrors(file, read(file))).toEqual([]);
  for (const [, action = ''] of read(file).matchAll(/uses: (.+)/g)) {
    if (action.startsWith('./')) expect(read(action)).toContain('workflow_call:');
    else expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

test('the parser finds a wrong key and an unknown name in an expression', async () => {
  const workflow = (step: string) =>
    `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - ${step}\n`;
  expect(await findWorkflowErrors('a.yml', workflow('run: make'))).toEqual([]);
  expect(await findWorkflowErrors('a.yml', workflow('runs: make'))).not.toEqual([]);
  expect(await findWorkflowErrors('a.yml', workflow(`run: echo $${'{{ foo.bar }}'}`))).not.toEqual([]);
});

test('the workflows run .ci/run and the scripts of this repository', () => {
  expect(read('.github/workflows/ci.yml')).toContain('run: bash .ci/run\n');
  const release = read('.github/workflows/release.yml');
  for (const [script] of release.matchAll(/scripts\/[\w.-]+/g)) expect(() => read(script)).not.toThrow();
  const { jobs } = parse(release) as { jobs: Record<string, { needs?: string }> };
  // Nothing is published before CI has passed, and there is no release without its images.
  expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toEqual([
    ['check', undefined],
    ['ci', 'check'],
    ['image', 'ci'],
    ['sdk', 'ci'],
    ['release', 'image'],
  ]);
});

test('the forms for issues have what GitHub needs', () => {
  for (const file of ['bug.yml', 'feature.yml']) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${file}`));
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    for (const { type, id, attributes } of form.body) {
      expect(['markdown', 'input', 'dropdown', 'textarea', 'checkboxes']).toContain(type);
      if (type !== 'markdown')
        expect({ id, ...attributes }).toMatchObject({ id: expect.any(String), label: expect.any(String) });
    }
  }
});

test('the address of the project is one placeholder or one repository, and there is no other placeholder', () => {
  const { repository } = JSON.parse(read('package.json')) as { repository: string };
  const [, own] = /^github:([\w.-]+\/[\w.-]+)$/.exec(repository) ?? [];
  expect(own).toBeDefined();
  const OTHERS = /registry\.example|REPOSITORY_URL|your-org|YOUR[-_]ORG|example\/badge\.git/i;
  expect(TEXTS.filter(({ text }) => OTHERS.test(text)).map(({ file }) => file)).toEqual([]);
  const withPlaceholder = TEXTS.filter(({ text }) => text.includes(PLACEHOLDER)).map(({ file }) => file);
  if (own === PLACEHOLDER) {
    for (const file of [
      'README.md',
      'SECURITY.md',
      'CODE_OF_CONDUCT.md',
      'RELEASING.md',
      'docs/guides/deploy.md',
    ])
      expect(withPlaceholder).toContain(file);
  } else expect(withPlaceholder).toEqual([]);
  // Images, private reports and badges name the same repository.
  const addresses = TEXTS.flatMap(({ text }) => [
    ...text.matchAll(/ghcr\.io\/([\w.-]+\/[\w.-]+?)(?=[:\s"'`])/g),
    ...text.matchAll(
      /github\.com\/([\w.-]+\/[\w.-]+)\/(?:security\/advisories|discussions|actions\/workflows)/g,
    ),
  ]).map(([, repo]) => repo?.toLowerCase());
  expect(new Set(addresses)).toEqual(new Set([own?.toLowerCase()]));
});

test('the badges of the README are true', () => {
  const readme = read('README.md');
  expect(readme).toMatch(/actions\/workflows\/ci\.yml\/badge\.svg/);
  expect(read('LICENSE')).toContain('Apache License');
  const { engines, license } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  expect(readme).toContain(`badge/license-${String(license).replaceAll('-', '--')}-`);
  expect(readme).toContain(`badge/node-${encodeURIComponent(engines?.node ?? '')}-`);
});

test('the notes of a release are its section, and a part with another version is an error', () => {
  const root = makeDirectory();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write('packages/a/package.json', '{"name": "@a/a", "version": "1.2.3"}');
  write('Dockerfile', 'FROM a\nARG VERSION=1.2.3\n');
  write('deploy/kubernetes/badge.yaml', 'image: ghcr.io/a/b:1.2.3\n');
  write(
    'CHANGELOG.md',
    '# C\n\n## Unreleased\n\n## 1.2.3 - 2026-01-31\n\n### Added\n\n- one\n\n## 1.2.2 - 2026-01-01\n\n- old\n',
  );
  expect(readReleaseNotes(root, 'v1.2.3')).toBe('### Added\n\n- one\n');
  for (const tag of ['1.2.3', 'v1.2', 'v1.2.3-rc'])
    expect(() => readReleaseNotes(root, tag)).toThrow('is not a tag');
  expect(() => readReleaseNotes(root, 'v1.2.2')).toThrow(
    /^packages\/a\/package\.json has the version 1\.2\.3\nDockerfile has another VERSION\ndeploy\/kubernetes\/badge\.yaml has an image/,
  );
  write('CHANGELOG.md', '# C\n\n## Unreleased\n\n- one\n');
  expect(() => readReleaseNotes(root, 'v1.2.3')).toThrow(/^CHANGELOG\.md has no section/);
});

test('every part of this repository has one version', () => {
  const { version } = JSON.parse(read('packages/service/package.json')) as { version: string };
  // Between releases, only the section of the changelog is missing.
  expect(() => {
    const root = makeDirectory();
    for (const file of ['packages/*/package.json', 'Dockerfile', 'deploy/kubernetes/badge.yaml'])
      for (const found of globSync(file, { cwd: ROOT })) cpSync(join(ROOT, found), join(root, found));
    writeFileSync(join(root, 'CHANGELOG.md'), `## ${version} - 2026-01-31\n\n- one\n`);
    readReleaseNotes(root, `v${version}`);
  }).not.toThrow();
});

test('pin-images.sh gives each image the digest that Docker names, again at the next release, and checks it', {
  timeout: 120_000,
}, () => {
  const root = makeDirectory();
  for (const file of ['Dockerfile', 'compose.yaml']) cpSync(join(ROOT, file), join(root, file));
  const run = (digit: string, ...args: string[]) => {
    writeFileSync(join(root, 'docker'), `#!/bin/sh\necho sha256:${digit.repeat(64)}\n`, { mode: 0o755 });
    const env = { ...process.env, BADGE_ROOT: root, PATH: `${root}:${process.env.PATH}` };
    return spawnSync(join(ROOT, 'scripts/pin-images.sh'), args, { env, encoding: 'utf8' });
  };
  const images = () =>
    ['Dockerfile', 'compose.yaml']
      .flatMap((file) => [
        ...readFileSync(join(root, file), 'utf8').matchAll(/^(?:ARG \w+_IMAGE=| *image: )([^$\s]+)$/gm),
      ])
      .map(([, image = '']) => image);
  const names = images().map((image) => image.replace(/@.*/, ''));
  expect(names).toEqual(
    expect.arrayContaining(['node:24-trixie', 'debian:trixie-slim', 'nginx:1.28', 'postgres:17']),
  );
  writeFileSync(
    join(root, 'Dockerfile'),
    readFileSync(join(root, 'Dockerfile'), 'utf8').replace(/@sha256:\w+/, ''),
  );
  expect(run('a', '--check')).toMatchObject({ status: 1, stderr: expect.stringContaining('node:24-trixie') });
  for (const digit of ['a', 'b']) {
    expect(run(digit)).toMatchObject({ status: 0, stderr: '' });
    expect(images()).toEqual(names.map((name) => `${name}@sha256:${digit.repeat(64)}`));
    expect(run('x', '--check')).toMatchObject({ status: 0, stderr: '' });
  }
  expect(run('not a digest').status).toBe(1);
});

/** The relative paths that commands of documents and manifests write: data, keys, backups, certificates. */
function findWrittenPaths(text: string): string[] {
  const patterns = [
    /BADGE_\w+_(?:DIR|FILE)=(\S+)/g,
    /\bmkdir (?:-[a-z]+ (?:\d+ )?)?([^\s;&|)`]+)/g,
    /\b(?:mv|cp)(?: -\w+)? data ([^\s;&|)`]+)/g,
    /(?:head -c 32 \/dev\/urandom|openssl rand (?:-hex )?32) ?> ?([^\s;&|)`]+)/g,
    /-keyout ([^\s;&|)`]+)/g,
  ];
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, path = '']) => path));
  const names = /for name in ([\w -]+);/.exec(text)?.[1]?.split(' ') ?? [];
  return found
    .map((path) => path.replaceAll(/["'`]|^\.\//g, '').replace(/^\$PWD\//, ''))
    .flatMap((path) => (path.includes('$name') ? names.map((name) => path.replace('$name', name)) : [path]))
    .filter((path) => !/^[/~$<%]|^\.\.|[.,]$/.test(path) && /[a-z]/.test(path) && path !== 'FILE');
}

test('git ignores every folder and file with data, keys, backups or certificates that a document or a default names', () => {
  const documents = TEXTS.filter(({ file }) =>
    /^(docs\/|[\w-]+\.md|packages\/[\w-]+\/README\.md|deploy\/kubernetes|deploy\/systemd|\.env)/.test(file),
  );
  const paths = new Set(
    documents.flatMap(({ text }) => findWrittenPaths(text)).map((path) => normalize(path)),
  );
  expect([...paths]).toEqual(
    expect.arrayContaining([
      'data-chain-1',
      'data-old',
      'data-backup',
      'keys',
      'keys/creator-seed',
      'issuer-seed',
      'holder-seed',
    ]),
  );
  for (const path of [
    'data',
    'secrets',
    'backup',
    'admin-key',
    'demo-api-key',
    '.env',
    '.env.production',
    'privkey.pem',
    'server.key',
    'badge.dump',
    'badge.tar',
  ])
    paths.add(path);
  const candidates = [...paths].flatMap((path) => [path, `${path}/x`]);
  const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
    cwd: ROOT,
    input: candidates.join('\n'),
    encoding: 'utf8',
  });
  const ignored = new Set(stdout.split('\n'));
  expect([...paths].filter((path) => !ignored.has(path) && !ignored.has(`${path}/x`))).toEqual([]);
});

test('each test beside the sources has the name of a source file', () => {
  const files = new Set(FILES);
  const tests = FILES.filter((file) => /^packages\/[\w-]+\/src\/.*\.test\.tsx?$/.test(file));
  expect(tests.length).toBeGreaterThan(100);
  const nameOf = (file: string) => file.replace(/(\.slow)?\.test\.tsx?$/, '');
  expect(
    tests.filter((file) => !files.has(`${nameOf(file)}.ts`) && !files.has(`${nameOf(file)}.tsx`)),
  ).toEqual([]);
});

test('git ignores no file of the repository', () => {
  const ignored = execFileSync('git', ['ls-files', '-ci', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(ignored).toBe('');
});
