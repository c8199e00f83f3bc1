import { join } from "node:path";
import { BucketStorage } from "../../src/media/bucket-storage.ts";
import { DiskStorage } from "../../src/media/disk-storage.ts";
import type { MediaStorage } from "../../src/media/storage.ts";
import type { Config } from "../../src/platform/config/config.ts";

/** Returns the storage of pictures: the bucket if there is one, else the data folder. */
export function openMediaStorage({ mediaBucket, dataDir }: Config): MediaStorage {
  return mediaBucket ? new BucketStorage(mediaBucket) : new DiskStorage(join(dataDir, "media"));
}
