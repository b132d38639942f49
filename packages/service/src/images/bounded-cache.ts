/** Keeps buffers up to a sum of bytes; the ones that nobody has asked for longest go first. */
export class BoundedCache {
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Buffer>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that are kept now. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Buffer | undefined {
    const buffer = this.#kept.get(key);
    if (buffer) {
      this.#kept.delete(key);
      this.#kept.set(key, buffer);
    }
    return buffer;
  }

  set(key: string, buffer: Buffer): void {
    this.#delete(key);
    this.#kept.set(key, buffer);
    this.#bytes += buffer.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#kept.get(key)?.length ?? 0;
    this.#kept.delete(key);
  }
}
