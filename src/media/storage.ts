/** Where pictures' bytes lie. A name is written once and its bytes never change. */
export interface MediaStorage {
  /** Keeps the bytes for good before it resolves. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** The bytes; undefined when there are none of this name. */
  get(name: string): Promise<Uint8Array | undefined>;
}
