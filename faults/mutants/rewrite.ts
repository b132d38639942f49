import { registerHooks } from 'node:module';

/** For files of the service, by their paths below its src: texts, and what takes their place. */
export type Changes = Record<string, [text: string, replacement: string][]>;

/** Puts the changes into a file's source. Each text must be there exactly once: no mutant outlives its code. */
export function rewrite(source: string, file: string, changes: Changes): string {
  return (changes[file] ?? []).reduce((rewritten, [text, replacement]) => {
    const pieces = rewritten.split(text);
    if (pieces.length !== 2) throw new Error(`${file} holds a text ${pieces.length - 1} times: ${text}`);
    return pieces.join(replacement);
  }, source);
}

/** Changes files of the service as they are loaded; calls back once all are changed. */
export function rewriteOnLoad(changes: Changes, onChanged: () => void): void {
  const awaited = new Set(Object.keys(changes));
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const [, file = ''] = url.split('/packages/service/src/');
      if (changes[file] === undefined) return loaded;
      const { source } = loaded;
      const text = source instanceof Uint8Array ? Buffer.from(source).toString() : String(source);
      const rewritten = rewrite(text, file, changes);
      awaited.delete(file);
      if (awaited.size === 0) onChanged();
      return { ...loaded, source: rewritten };
    },
  });
}
