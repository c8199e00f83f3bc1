/** The storage of pictures' bytes. A name is written once, and its bytes never change. */
export interface MediaStorage {
  /** Stores the bytes durably before it resolves. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Returns the bytes, or undefined if there are none with this name. More than `bytesMax` are not read. */
  get(name: string, bytesMax: number): Promise<Uint8Array | undefined>;
}
