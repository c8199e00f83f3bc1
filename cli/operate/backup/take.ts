import { open, readdir, stat } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { extract, pack as newPack, type Pack } from "tar-stream";
import { baseBackup, type BackupPiece } from "../../../src/platform/db/embedded-postgres/base-backup.ts";
import { hasCode } from "../../../src/platform/db/embedded-postgres/file-system.ts";
import type { Config } from "../../../src/platform/config/config.ts";
import { writeWhole } from "./draft.ts";
import { reachServer } from "./embedded.ts";
import { addEntry, asError, feed } from "./tar-streams.ts";
import { CLUSTER, DESCRIPTION, MANIFEST, MEDIA, SECRETS, type Description } from "./layout.ts";

export interface TakeOptions {
  readonly config: Config;
  /** The archive's path. */
  readonly file: string;
  readonly release: string;
  readonly withSecrets: boolean;
}

const PRIVATE = 0o600;

/** What a backup has. */
export interface TakenBackup {
  readonly bytes: number;
  readonly pictureCount: number;
  readonly secrets: readonly string[];
}

/**
 * Writes a backup of the embedded database and the data folder's pictures, while the service runs or not. All that was
 * committed before it began is in it. The file appears when it is complete.
 */
export async function takeBackup({ config, file, release, withSecrets }: TakeOptions): Promise<TakenBackup> {
  const server = await reachServer(config);
  try {
    let taken: Omit<TakenBackup, "bytes"> = { pictureCount: 0, secrets: [] };
    await writeWhole(file, async (handle) => {
      const pack = newPack();
      const written = pipeline(Readable.from(pack), createGzip(), async (compressed) => {
        for await (const bytes of compressed as AsyncIterable<Uint8Array>) await handle.writeFile(bytes);
      });
      const description: Description = {
        format: 1,
        release,
        postgres: server.major,
        begun_at: new Date().toISOString(),
        pictures: config.mediaBucket ? "bucket" : "archive",
      };
      const filled = fill(pack, config, description, server.url, withSecrets).catch((error: unknown) => {
        pack.destroy(asError(error));
        throw error;
      });
      // The reason is what ended the filling, not what that did to the file.
      written.catch(() => undefined);
      taken = await filled;
      await written;
    });
    return { ...taken, bytes: (await stat(file)).size };
  } finally {
    await server.release();
  }
}

async function fill(
  pack: Pack,
  config: Config,
  description: Description,
  url: string,
  withSecrets: boolean,
): Promise<Omit<TakenBackup, "bytes">> {
  await addText(pack, DESCRIPTION, `${JSON.stringify(description, null, 2)}\n`);
  await addCluster(pack, url);
  const folder = resolve(config.dataDir);
  // A picture's file is there before its row is, so that these are read after the rows.
  const pictures = config.mediaBucket ? [] : await filesIn(join(folder, MEDIA));
  for (const name of pictures) await addFile(pack, join(folder, MEDIA, name), `${MEDIA}${name}`);
  const secrets: string[] = [];
  for (const name of withSecrets ? SECRETS : []) {
    if (await addFile(pack, join(folder, name), name)) secrets.push(name);
  }
  pack.finalize();
  return { pictureCount: pictures.length, secrets };
}

/** Adds the server's own archive under the cluster's name, entry by entry, and its manifest. */
async function addCluster(pack: Pack, url: string): Promise<void> {
  const manifest: Buffer[] = [];
  const archive = extract();
  await feed(archive, archiveIn(baseBackup(url), manifest), async () => {
    for await (const entry of archive) {
      const name = posix.join(CLUSTER, entry.header.name);
      await addEntry(pack, { ...entry.header, name }, entry);
    }
  });
  await addText(pack, `${CLUSTER}${MANIFEST}`, Buffer.concat(manifest).toString("utf8"));
}

/** Yields the bytes of the archive, and puts those of the manifest, which follow them, into `manifest`. */
async function* archiveIn(pieces: AsyncIterable<BackupPiece>, manifest: Buffer[]): AsyncGenerator<Buffer> {
  for await (const { part, bytes } of pieces) {
    if (part === "manifest") manifest.push(bytes);
    else yield bytes;
  }
}

/** Adds a file as long as it is now. Returns false if it does not exist. */
async function addFile(pack: Pack, path: string, name: string): Promise<boolean> {
  const file = await open(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (file === undefined) return false;
  const { size, mtime } = await file.stat();
  const content = file.createReadStream(size > 0 ? { end: size - 1 } : {});
  await addEntry(pack, { name, size, mtime, mode: PRIVATE }, content);
  return true;
}

async function addText(pack: Pack, name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  await addEntry(pack, { name, size: bytes.length, mode: PRIVATE, mtime: new Date() }, [bytes]);
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  // A name with a dot is of a picture that is being stored.
  return found.filter((entry) => entry.isFile() && !entry.name.startsWith(".")).map(({ name }) => name);
}
