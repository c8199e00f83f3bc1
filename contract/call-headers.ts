/**
 * The headers of a call to the core. Their names are ours and in lower case: Node's own class checks each name and value,
 * which costs more than the rest of a call within one process. A transport to another process does check them.
 */
export class CallHeaders implements Headers {
  readonly #values = new Map<string, string>();

  constructor(values: Readonly<Record<string, string>> = {}) {
    for (const name in values) this.#values.set(name, values[name] as string);
  }

  get(name: string): string | null {
    return this.#values.get(name) ?? this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(visit: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this.#values) visit.call(self, value, name, this);
  }

  /** There are no cookies in a call. */
  getSetCookie(): string[] {
    return [];
  }

  keys() {
    return this.#values.keys();
  }

  values() {
    return this.#values.values();
  }

  entries() {
    return this.#values.entries();
  }

  [Symbol.iterator]() {
    return this.#values.entries();
  }
}
