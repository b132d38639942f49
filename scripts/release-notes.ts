import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The section of the changelog for a tag, such as v1.2.3. Throws an error that says what is missing, unless
 * every part of the repository in `root` has this version.
 */
export function readReleaseNotes(root: string, tag: string): string {
  const [, version] = /^v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];
  if (version === undefined) throw new Error(`${tag} is not a tag such as v1.2.3`);
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const problems: string[] = [];
  for (const file of globSync('packages/*/package.json', { cwd: root }).sort()) {
    const manifest = JSON.parse(read(file)) as { name: string; version?: string };
    // A package without a scope stands in for one of a stranger.
    if (manifest.name.startsWith('@') && manifest.version !== version)
      problems.push(`${file} has the version ${manifest.version}`);
  }
  if (!read('Dockerfile').includes(`ARG VERSION=${version}\n`))
    problems.push('Dockerfile has another VERSION');
  const images = read('deploy/kubernetes/badge.yaml').match(/(?<=image: ghcr\.io\/[^:\s]+:)\S+/g) ?? [];
  if (images.length === 0 || images.some((image) => image !== version))
    problems.push('deploy/kubernetes/badge.yaml has an image with another version');
  const changelog = read('CHANGELOG.md');
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d\n`, 'm').exec(
    changelog,
  );
  const after = heading === null ? '' : changelog.slice(heading.index + heading[0].length);
  const [notes = ''] = after.split(/^## /m);
  if (notes.trim() === '')
    problems.push(`CHANGELOG.md has no section "## ${version} - DATE", or an empty one`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return `${notes.trim()}\n`;
}

if (import.meta.main) {
  try {
    process.stdout.write(readReleaseNotes(join(import.meta.dirname, '..'), process.argv[2] ?? ''));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
