import { registerHooks } from 'node:module';

/** Texts and their replacements, by file. The paths are relative to packages/service/src. */
export type Changes = Record<string, [text: string, replacement: string][]>;

/** Applies the changes to a file's source. Throws unless each text occurs exactly once. */
export function rewrite(source: string, file: string, changes: Changes): string {
  return (changes[file] ?? []).reduce((rewritten, [text, replacement]) => {
    const pieces = rewritten.split(text);
    if (pieces.length !== 2)
      throw new Error(`this text occurs ${pieces.length - 1} times in ${file}, instead of once: ${text}`);
    return pieces.join(replacement);
  }, source);
}

/** Rewrites files of the service when they are loaded. Calls `onChanged` when all are rewritten. */
export function rewriteOnLoad(changes: Changes, onChanged: () => void): void {
  const pending = new Set(Object.keys(changes));
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const [, file = ''] = url.split('/packages/service/src/');
      if (changes[file] === undefined) return loaded;
      const { source } = loaded;
      const text = source instanceof Uint8Array ? Buffer.from(source).toString() : String(source);
      const rewritten = rewrite(text, file, changes);
      pending.delete(file);
      if (pending.size === 0) onChanged();
      return { ...loaded, source: rewritten };
    },
  });
}
