import { once } from "node:events";
import type { Extract, Header, Pack } from "tar-stream";

/** An entry of an archive that is read. */
export interface TarEntry extends AsyncIterable<unknown> {
  readonly header: Header;
}

/** Adds an entry with these bytes. Throws Error if they are not as many as the header says. */
export async function addEntry(
  pack: Pack,
  header: Partial<Header> & Pick<Header, "name">,
  content: AsyncIterable<unknown> | readonly Uint8Array[],
): Promise<void> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const entry = pack.entry(header, (error) => (error ? reject(error) : resolve()));
  // Awaited below, after what may fail before.
  ended.catch(() => undefined);
  entry.on("error", () => undefined);
  for await (const bytes of content) {
    if (!entry.write(bytes)) await Promise.race([once(entry, "drain"), ended]);
  }
  entry.end(null);
  await ended;
}

/** Gives an archive its bytes while `read` takes its entries. Resolves at the end of both, or throws what was first. */
export async function feed(
  archive: Extract,
  content: AsyncIterable<Uint8Array>,
  read: () => Promise<void>,
): Promise<void> {
  // The iterator and the loop below throw what ends it.
  archive.on("error", () => undefined);
  const reading = read();
  const fed = (async (): Promise<void> => {
    for await (const bytes of content) {
      if (!archive.write(bytes)) await Promise.race([once(archive, "drain"), reading]);
    }
    archive.end(null);
  })().catch((error: unknown) => {
    archive.destroy(asError(error));
    throw error;
  });
  // What began the failure of both is the first one's reason.
  for (const one of await Promise.allSettled([fed, reading])) if (one.status === "rejected") throw one.reason;
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
