import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// Biome breaks code after 110 characters, but no comments.
const MAX_LENGTH = 110;
const COMMENT: Record<string, RegExp> = {
  ts: /^\s*(\/\/|\/\*\*|\*) /,
  tsx: /^\s*(\/\/|\/\*\*|\*) /,
  sql: /^\s*-- /,
  sh: /^\s*# /,
};

const patterns = Object.keys(COMMENT).map((extension) => `*.${extension}`);
const files = execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
  .trim()
  .split('\n');
const errors = files.flatMap((file) => {
  const comment = COMMENT[file.slice(file.lastIndexOf('.') + 1)];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      line.length > MAX_LENGTH && comment?.test(line)
        ? [`${file}:${index + 1}: the comment has ${line.length} characters`]
        : [],
    );
});
if (errors.length > 0) {
  process.stderr.write(`${errors.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write(
  `no comment in ${files.length} files has more than ${MAX_LENGTH} characters in a line\n`,
);
