import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, chown, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import type { Account } from "../../../src/platform/db/embedded-postgres/account.ts";
import {
  CLUSTER,
  DESCRIPTION,
  MANIFEST,
  MEDIA,
  SECRETS,
  readDescription,
  type Description,
} from "./layout.ts";
import { requireManifest } from "./manifest.ts";
import { feed, type TarEntry } from "./tar-streams.ts";

/** Where a backup is unpacked to: folders of this process alone. */
export interface UnpackTarget {
  /** The cluster's folder. */
  readonly cluster: string;
  /** The owner of the cluster's files. */
  readonly account: Account | undefined;
  /** The folder of all others. */
  readonly others: string;
  /** Is called before anything is written. Throws if this backup cannot be restored. */
  readonly onDescription: (description: Description) => void;
}

const PRIVATE = 0o600;

/**
 * Unpacks a backup and compares its files with PostgreSQL's manifest. Throws Error if it is damaged or incomplete, or
 * is no backup.
 */
export async function unpackBackup(file: string, target: UnpackTarget): Promise<void> {
  const archive = extract();
  await pipeline(createReadStream(file), createGunzip(), async (bytes) => {
    await feed(archive, bytes as AsyncIterable<Uint8Array>, async () => await unpackAll(archive, target));
  }).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code?.startsWith("Z_") ? new Error(`${file} is no backup, or is damaged: ${message}.`) : error;
  });
}

async function unpackAll(archive: AsyncIterable<TarEntry>, target: UnpackTarget): Promise<void> {
  const sums = new Map<string, { size: number; sha256: string }>();
  let isDescribed = false;
  let manifest: string | undefined;
  for await (const entry of archive) {
    const { name, type } = entry.header;
    if (!isDescribed) {
      if (name !== DESCRIPTION) throw new Error("This is not a backup of paylink.");
      target.onDescription(readDescription(String(await bytesOf(entry))));
      isDescribed = true;
      continue;
    }
    const inCluster = name.startsWith(CLUSTER) ? name.slice(CLUSTER.length) : undefined;
    if (!isKnown(name, inCluster) || (type !== "file" && type !== "directory")) {
      throw new Error(`The backup has ${name}, which does not belong there.`);
    }
    if (inCluster === MANIFEST) manifest = String(await bytesOf(entry));
    else if (inCluster === undefined) await writeOther(join(target.others, name), entry);
    else if (type === "directory") await makeFolder(join(target.cluster, inCluster), target.account);
    else sums.set(inCluster, await writeClusterFile(join(target.cluster, inCluster), entry, target.account));
  }
  if (manifest === undefined) throw new Error("The backup is incomplete.");
  requireManifest(manifest, sums);
}

/** Returns true if the path is one of a backup, and leads nowhere else. */
function isKnown(name: string, inCluster: string | undefined): boolean {
  if (name.includes("\0") || name.split("/").some((part) => part === ".." || part === ".")) return false;
  const isPicture = name.startsWith(MEDIA) && /^[^/.][^/]*$/.test(name.slice(MEDIA.length));
  return inCluster !== undefined || isPicture || SECRETS.some((secret) => secret === name);
}

async function makeFolder(path: string, account: Account | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  if (account) await chown(path, account.uid, account.gid);
}

async function writeClusterFile(
  path: string,
  entry: TarEntry,
  account: Account | undefined,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256");
  const handle = await open(path, "wx", PRIVATE);
  let size = 0;
  try {
    if (account) await handle.chown(account.uid, account.gid);
    for await (const bytes of entry as AsyncIterable<Uint8Array>) {
      hash.update(bytes);
      size += bytes.length;
      await handle.writeFile(bytes);
    }
  } finally {
    await handle.close();
  }
  return { size, sha256: hash.digest("hex") };
}

async function writeOther(path: string, entry: TarEntry): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, "wx", PRIVATE);
  try {
    for await (const bytes of entry as AsyncIterable<Uint8Array>) await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function bytesOf(entry: TarEntry): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const bytes of entry as AsyncIterable<Uint8Array>) parts.push(bytes);
  return Buffer.concat(parts);
}
