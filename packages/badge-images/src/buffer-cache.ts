/** Keeps buffers up to a total size; evicts the least recently used. */
export interface BufferCache {
  /** The total size of the kept buffers. */
  readonly bytes: number;
  get(key: string): Buffer | undefined;
  /** Keeps a buffer, unless it alone is larger than the cache. */
  set(key: string, buffer: Buffer): void;
}

export function createBufferCache(maxBytes: number): BufferCache {
  // A Map iterates in insertion order: the first key is the least recently used.
  const buffers = new Map<string, Buffer>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= buffers.get(key)?.length ?? 0;
    buffers.delete(key);
  }

  return {
    get bytes() {
      return bytes;
    },
    get(key) {
      const buffer = buffers.get(key);
      if (buffer) {
        buffers.delete(key);
        buffers.set(key, buffer);
      }
      return buffer;
    },
    set(key, buffer) {
      remove(key);
      if (buffer.length > maxBytes) return;
      buffers.set(key, buffer);
      bytes += buffer.length;
      for (const oldest of buffers.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
