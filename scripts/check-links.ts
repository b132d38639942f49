import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { anchorOf } from './anchor-of.ts';

// Every relative link in a Markdown file must point to an existing file and, after #, to one of its headings.
// Every path of a .ts file in a code span must exist, relative to the page's folder, the root or one of these
// folders.
const SOURCE_FOLDERS = ['', 'packages/service/src', 'packages/badge-images/src'];

/** A link to a file of this repository on GitHub, as in a page that is published elsewhere. */
const OWN_LINK = /^https:\/\/github.com\/OWNER\/badge\/(?:blob|tree)\/main\/(.+)/;

const root = join(import.meta.dirname, '..');
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
});
const pages = listed.split('\n').filter((page) => page !== '' && existsSync(join(root, page)));
const broken: string[] = [];
let linksAndPaths = 0;

for (const page of pages) {
  for (const [, link = ''] of proseOf(page).matchAll(/\]\(([^()\s]+)\)/g)) {
    const own = OWN_LINK.exec(link)?.[1];
    if (own === undefined && /^[a-z]+:/.test(link)) continue;
    linksAndPaths += 1;
    const [path = '', anchor] = (own ?? link).split('#');
    const folder = own === undefined ? dirname(page) : '';
    const target = path === '' ? page : relative(root, join(root, folder, path));
    if (!existsSync(join(root, target))) broken.push(`${page}: ${link} does not exist`);
    else if (anchor !== undefined && !anchorsOf(target).has(anchor))
      broken.push(`${page}: ${link}: there is no such heading`);
  }
  for (const [, path = ''] of textOf(page).matchAll(/`([\w-]+\/[\w./-]+\.ts)`/g)) {
    linksAndPaths += 1;
    if (![dirname(page), ...SOURCE_FOLDERS].some((folder) => existsSync(join(root, folder, path))))
      broken.push(`${page}: ${path} does not exist`);
  }
}

if (broken.length > 0) {
  process.stderr.write(`${broken.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(`${linksAndPaths} links and paths in ${pages.length} Markdown files are correct\n`);

/** A page without its code blocks. */
function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```/gms, '');
}

/** A page without its code blocks, and without the `](` in its code spans, which would look like links. */
function proseOf(page: string): string {
  return textOf(page).replaceAll(/(`+)[^`\n]+\1/g, (code) => code.replaceAll('](', ''));
}

/** The anchors of a page's headings, as GitHub makes them: a repeated heading gets a number. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ +(.+)$/gm)) {
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}
