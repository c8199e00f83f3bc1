import type { ServiceImpl } from "@connectrpc/connect";
import { pictureId } from "../../contract/picture-name.ts";
import type { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import type { Caller } from "../platform/rpc/caller.ts";
import type { MediaDeps } from "./deps.ts";
import { mediaRpcs } from "./media-rpcs.ts";
import { haveAll } from "./repository.ts";

/** The media room: its RPCs, and its functions for other rooms. */
export class MediaRoom {
  readonly #deps: MediaDeps;
  readonly rpcs: ServiceImpl<typeof MediaService>;

  constructor(deps: MediaDeps) {
    this.#deps = deps;
    this.rpcs = mediaRpcs(deps);
  }

  /** Returns true if each address is that of one of the caller's pictures, hidden or not. */
  async holdsAll({ mode, tenantId }: Caller, urls: readonly string[]): Promise<boolean> {
    const { environments, mediaBase } = this.#deps;
    const ids = new Set(urls.map((url) => pictureId(url.slice(mediaBase.length + 1)) ?? ""));
    return await haveAll(environments[mode], tenantId, [...ids]);
  }
}
