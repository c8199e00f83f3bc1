import { createClient, type Client } from "@connectrpc/connect";
import { join } from "node:path";
import { MediaService, type Media } from "../../gen/paylink/media/v1/media_pb.ts";
import { DiskStorage } from "../../src/media/disk-storage.ts";
import { makeDataFolder } from "./data-folder.ts";
import { png } from "./pictures.ts";
import type { TestService, TestTenant } from "./service.ts";

/** A folder for pictures, and the settings of a core that keeps them there. */
export async function pictureFolder() {
  const { path, remove } = await makeDataFolder();
  const folder = join(path, "media");
  return { folder, remove, mediaStorage: new DiskStorage(folder) };
}

/** Addresses of pictures that were uploaded for the tenant. */
export async function uploaded(
  service: TestService,
  tenant: Pick<TestTenant, "id">,
  count: number,
): Promise<string[]> {
  const uploader = new Uploader(service, tenant);
  const urls: string[] = [];
  while (urls.length < count) urls.push((await uploader.upload(await png())).url);
  return urls;
}

/** A merchant who uploads pictures. */
export class Uploader {
  readonly client: Client<typeof MediaService>;
  readonly as: { headers: Record<string, string> };

  constructor(service: TestService, { id }: Pick<TestTenant, "id">, mode: "test" | "live" = "test") {
    this.client = createClient(MediaService, service.core.transport);
    this.as = { headers: { ...service.internal.headers, "paylink-tenant": id, "paylink-mode": mode } };
  }

  async upload(content: Uint8Array, name = "picture"): Promise<Media> {
    const { media } = await this.client.uploadMedia({ content, name }, this.as);
    return media as Media;
  }
}
