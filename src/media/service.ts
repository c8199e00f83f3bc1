import { hash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import { pictureId, pictureName } from "../../contract/picture-name.ts";
import type { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { ownerOf } from "../identity/id-owner.ts";
import type { Identity } from "../identity/service.ts";
import type { Caller, Mode } from "../platform/caller.ts";
import { insert, update } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import { PaylinkError } from "../platform/errors.ts";
import { isId, newId } from "../../contract/ids.ts";
import { idAsCursor, keysetPage } from "../platform/keyset-page.ts";
import type { Operations } from "../platform/operation.ts";
import type { Quotas } from "../platform/quota-config.ts";
import { Media, type MediaRow } from "./entities.ts";
import { Limit } from "./limit.ts";
import { toMedia } from "./mapping.ts";
import { PICTURE_TYPE, remade } from "./picture.ts";
import { countMedia, findMedia, haveAll, listMedia } from "./repository.ts";
import type { MediaStorage } from "./storage.ts";

const LIMIT_DEFAULT = 20;
const MEGABYTE = 1024 ** 2;
// Each picture occupies one of the process's four threads for file work and the like.
const AT_ONCE_MAX = 2;
const WAITING_MAX = 16;

export interface MediaDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly identity: Pick<Identity, "ownerOf">;
  readonly storage: MediaStorage;
  /** The base of pictures' addresses, without a trailing slash. */
  readonly mediaBase: string;
  readonly quotas: Pick<Quotas, "pictures" | "pictureBytes">;
}

/** The media room: its RPCs, and its functions for other rooms. */
export class MediaRoom {
  readonly #deps: MediaDeps;
  readonly #limit = new Limit(AT_ONCE_MAX, WAITING_MAX);
  readonly rpcs: ServiceImpl<typeof MediaService>;

  constructor(deps: MediaDeps) {
    this.#deps = deps;
    this.rpcs = this.#rpcs();
  }

  /** Returns true if each address is that of one of the caller's pictures, hidden or not. */
  async holdsAll({ mode, tenantId }: Caller, urls: readonly string[]): Promise<boolean> {
    const { environments, mediaBase } = this.#deps;
    const ids = new Set(urls.map((url) => pictureId(url.slice(mediaBase.length + 1)) ?? ""));
    return await haveAll(environments[mode], tenantId, [...ids]);
  }

  #rpcs(): ServiceImpl<typeof MediaService> {
    const { operations, storage, mediaBase, clock, quotas } = this.#deps;
    return {
      uploadMedia: operations.write({
        decide: async ({ content, name }, { tenantId, mode, environment }) => {
          // The check comes before the decoding. Concurrent uploads of a tenant may exceed the quota by a few pictures.
          requireRoom(await countMedia(environment, tenantId), quotas);
          const row = await this.#keep(tenantId, content, name);
          const changes = [insert(Media, row), ownerOf(row.id, tenantId, mode)];
          return { response: { media: toMedia(row, mediaBase) }, changes, audit: { objectId: row.id } };
        },
      }),
      listMedia: operations.run(
        async ({ startingAfter, limit = LIMIT_DEFAULT }, { tenantId, environment }) => {
          const { rows, hasMore } = await keysetPage({
            limit,
            startingAfter,
            what: "the id of an item of the list",
            find: idAsCursor("med"),
            read: (after, rowCount) => listMedia(environment, tenantId, after, rowCount),
          });
          return { media: rows.map((row) => toMedia(row, mediaBase)), hasMore };
        },
      ),
      hideMedia: operations.write({
        decide: async ({ id }, { tenantId, environment }) => {
          const row = await findMedia(environment, tenantId, id);
          if (!row) throw mediaNotFound();
          if (row.hiddenAt) return { response: {}, changes: [] };
          const where = { tenantId, id, hiddenAt: null };
          const changes = [update(Media, where, { hiddenAt: wholeSecond(clock) })];
          return { response: {}, changes, audit: { objectId: id } };
        },
      }),
      getMedia: operations.run(
        async ({ id }, { tenantId, environment }) => {
          const row = await findMedia(environment, tenantId, id);
          if (!row) throw mediaNotFound();
          const content = await storage.get(pictureName(id), row.byteCount);
          if (!content) throw new Error(`the file of ${id} is gone`);
          if (hash("sha256", content, "hex") !== row.sha256) {
            throw new Error(`the file of ${id} is not the picture that was stored`);
          }
          return { content, contentType: PICTURE_TYPE, sha256: row.sha256 };
        },
        async ({ id }) => await this.#ownerOf(id),
      ),
    };
  }

  /** The file is stored first, so that every row has its file. */
  async #keep(tenantId: string, content: Uint8Array, name: string): Promise<MediaRow> {
    const { clock, storage } = this.#deps;
    const { bytes, ...made } = await this.#limit.run(async () => await remade(content));
    const id = newId("med");
    await storage.put(pictureName(id), bytes);
    return {
      tenantId,
      id,
      name,
      byteCount: bytes.length,
      ...made,
      createdAt: wholeSecond(clock),
      hiddenAt: null,
    };
  }

  /** Returns a picture's owner. The picture's id alone decides. Error: media_not_found. */
  async #ownerOf(id: string): Promise<{ tenantId: string; mode: Mode }> {
    const owner = isId("med", id) ? await this.#deps.identity.ownerOf(id) : null;
    if (!owner) throw mediaNotFound();
    return owner;
  }
}

/** Error: quota_exceeded. */
function requireRoom(
  kept: { readonly pictures: number; readonly bytes: number },
  { pictures, pictureBytes }: MediaDeps["quotas"],
): void {
  if (kept.pictures < pictures && kept.bytes < pictureBytes) return;
  const most = `${pictures} pictures and ${Math.floor(pictureBytes / MEGABYTE)} MB`;
  throw new PaylinkError(
    "quota_exceeded",
    `A tenant keeps at most ${most} in each mode, hidden ones included.`,
  );
}

function mediaNotFound(): PaylinkError {
  return new PaylinkError("media_not_found", "There is no such picture.");
}
