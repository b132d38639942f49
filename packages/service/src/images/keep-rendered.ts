/** Makes a render that happens once per key: calls share one promise, which is kept unless it fails. */
export function keepRendered(render: (key: string) => Promise<Buffer>): (key: string) => Promise<Buffer> {
  const kept = new Map<string, Promise<Buffer>>();
  return (key) => {
    const known = kept.get(key);
    if (known) return known;
    const rendering = render(key);
    kept.set(key, rendering);
    rendering.catch(() => kept.delete(key));
    return rendering;
  };
}
