import { exportInstallation } from '../archive/export-installation.ts';
import { KEY_NAMES, KEY_VARIABLES } from '../archive/keys.ts';
import { createProgress } from '../archive/progress.ts';
import type { Config } from '../config.ts';
import { stderr } from '../output.ts';

/** Writes the archive of this installation to a new file. Returns the exit code. */
export async function exportArchive(config: Config, file: string): Promise<number> {
  const progress = createProgress((line) => stderr.write(line));
  const { files, keys } = await exportInstallation(config, file, { progress });
  for (const name of KEY_NAMES) {
    if (keys[name] === null)
      stderr.write(`badge: there is no ${KEY_VARIABLES[name]}, so an import cannot say which one is right\n`);
  }
  const lines = files.reduce((sum, entry) => sum + (entry.lines ?? 0), 0);
  const pictures = files.filter((entry) => entry.lines === null).length;
  process.stdout.write(
    `${file}: ${lines} lines in ${files.length - pictures} files, and ${pictures} pictures\n`,
  );
  process.stdout.write(
    'It has no key and no seed: take their files with it, and keep all of them apart from others.\n',
  );
  return 0;
}
