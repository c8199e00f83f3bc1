import { createHash } from "node:crypto";

/** Size and SHA-256, in hexadecimal, of a file by its path in the cluster's folder. */
export type FileSums = ReadonlyMap<string, { readonly size: number; readonly sha256: string }>;

interface Manifest {
  readonly Files: readonly {
    readonly Path: string;
    readonly Size: number;
    readonly Checksum: string;
  }[];
  readonly "Manifest-Checksum": string;
}

const OWN_SUM = '"Manifest-Checksum"';
// The WAL has checks of its own in each record, which are made when it is replayed.
const WAL = "pg_wal/";

/**
 * Compares the files of a cluster's backup with PostgreSQL's manifest of them. Throws Error if one is missing, is
 * changed or is not in the manifest, or if the manifest itself is damaged.
 */
export function requireManifest(text: string, found: FileSums): void {
  const manifest = JSON.parse(text) as Manifest;
  const covered = text.slice(0, text.lastIndexOf(OWN_SUM));
  if (createHash("sha256").update(covered).digest("hex") !== manifest["Manifest-Checksum"]) {
    throw new Error("The backup's manifest is damaged.");
  }
  for (const { Path, Size, Checksum } of manifest.Files) {
    const file = found.get(Path);
    if (file === undefined) throw new Error(`The backup lacks the file ${Path}.`);
    if (file.size !== Size || file.sha256 !== Checksum) {
      throw new Error(`The backup's file ${Path} is damaged.`);
    }
  }
  const listed = new Set(manifest.Files.map(({ Path }) => Path));
  for (const path of found.keys()) {
    if (!path.startsWith(WAL) && !listed.has(path))
      throw new Error(`The backup's file ${path} is not in its manifest.`);
  }
}
