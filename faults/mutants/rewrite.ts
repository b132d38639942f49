import { registerHooks } from 'node:module';

/** A mutant prints this when its change is in place. */
export function markOf(name: string): string {
  return `the mutation "${name}" is in place`;
}

/**
 * Changes the source of one file of the service as it is loaded. Each text must be there exactly once, so that
 * a mutant cannot outlive the code that it changes.
 */
export function rewriteOnLoad(
  name: string,
  file: string,
  changes: [text: string, replacement: string][],
): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/packages/service/src/${file}`)) return loaded;
      let source =
        loaded.source instanceof Uint8Array ? Buffer.from(loaded.source).toString() : String(loaded.source);
      for (const [text, replacement] of changes) {
        const pieces = source.split(text);
        if (pieces.length !== 2) {
          throw new Error(`mutant ${name}: ${file} holds its text ${pieces.length - 1} times: ${text}`);
        }
        source = pieces.join(replacement);
      }
      process.stderr.write(`${markOf(name)}\n`);
      return { ...loaded, source };
    },
  });
}
