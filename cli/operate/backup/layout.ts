/*
 * A backup is a tar archive, compressed by gzip, of what is in the data folder, under the same names: any tar can unpack it.
 * Its first entry describes it, and the cluster's folder holds PostgreSQL's manifest of the cluster's files.
 */

/** The entry that describes the archive. */
export const DESCRIPTION = "paylink-backup.json";
/** PostgreSQL's own folder. */
export const CLUSTER = "postgres/cluster/";
/** PostgreSQL's manifest, in its folder. */
export const MANIFEST = "backup_manifest";
/** Pictures that are not in a bucket. */
export const MEDIA = "media/";
/** Files of secrets, which only `--with-secrets` puts into a backup. */
export const SECRETS = ["data-key", "core-token", "demo-keys.json"] as const;

/** What the first entry says. */
export interface Description {
  readonly format: 1;
  /** The release that took the backup. */
  readonly release: string;
  /** The major version of the PostgreSQL that can open it. */
  readonly postgres: string;
  /** Time at which it was begun, ISO 8601. */
  readonly begun_at: string;
  /** Where pictures are: in the archive, or in a bucket that it does not have. */
  readonly pictures: "archive" | "bucket";
}

/** Returns the description. Throws Error if it is of a format that this release does not know. */
export function readDescription(text: string): Description {
  const found = JSON.parse(text) as Description;
  if (found.format !== 1) {
    throw new Error(
      `The backup has format ${String(found.format)}: restore it with the release that took it.`,
    );
  }
  return found;
}
