import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import startService from '../service-under-test.ts';

/** Runs a program of this folder's node_modules in this folder. */
export async function run(program: string, ...args: string[]): Promise<void> {
  const cwd = import.meta.dirname;
  await promisify(execFile)(`${cwd}/node_modules/.bin/${program}`, args, { cwd }).catch((error) => {
    throw new Error(`${program}: ${error.message}\n${error.stdout}`);
  });
}

/** Vitest's global setup: starts a service, and generates three clients from its document. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stop = await startService(project);
  const folder = `${import.meta.dirname}/generated`;
  const source = './generated/openapi.json';
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    await writeFile(`${folder}/openapi.json`, JSON.stringify(project.getProvidedContext().openApi));
    await Promise.all([
      run('openapi-typescript', source, '--output', 'generated/openapi-typescript.ts'),
      run('openapi-ts', '--input', source, '--output', 'generated/hey-api', '--no-log-file'),
      run('orval', '--fail-on-warnings'),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
