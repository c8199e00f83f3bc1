import { hash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import { isId, newId } from "../../contract/ids.ts";
import { pictureName } from "../../contract/picture-name.ts";
import type { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { insertIdOwner } from "../identity/id-owner.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { insert, update } from "../platform/write/change.ts";
import { wholeSecond } from "../platform/time/clock.ts";
import { noSuch, PaylinkError } from "../platform/rpc/errors.ts";
import { semaphoreOf } from "../platform/limits/semaphores.ts";
import { idAsCursor, keysetPage } from "../platform/db/keyset-page.ts";
import type { MediaDeps } from "./deps.ts";
import { Media, type MediaRow } from "./entities.ts";
import { toMedia } from "./mapping.ts";
import { PICTURE_TYPE, remade } from "./picture.ts";
import { countMedia, findMedia, listMedia } from "./repository.ts";

const LIMIT_DEFAULT = 20;
const MEGABYTE = 1024 ** 2;
// Each picture occupies a process, and one of the machine's few processors. One that waits has up to 3 MB.
const DECODERS = { total: 2, perKey: 1, waitingPerKey: 12, waitingTotal: 48 };
// Anyone may read. The rest of the database's connections and of the threads is left to all other work.
const READS = { total: 4, perKey: 4, waitingPerKey: 128, waitingTotal: 128 };

/** The RPCs of pictures. */
export function mediaRpcs(deps: MediaDeps): ServiceImpl<typeof MediaService> {
  const { operations, identity, mediaStorage, mediaBase, clock, quotas } = deps;
  const decoders = semaphoreOf(DECODERS);
  const reads = semaphoreOf(READS);

  /** The file is stored first, so that every row has its file. */
  async function keep(tenantId: string, content: Uint8Array, name: string): Promise<MediaRow> {
    const { bytes, ...made } = await decoders.run(tenantId, async () => await remade(content));
    const id = newId("med");
    await mediaStorage.put(pictureName(id), bytes);
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

  async function read({ id, byteCount, sha256 }: MediaRow): Promise<Uint8Array> {
    const content = await mediaStorage.get(pictureName(id), byteCount);
    if (!content) throw new Error(`the file of ${id} is gone`);
    if (hash("sha256", content, "hex") !== sha256) {
      throw new Error(`the file of ${id} is not the picture that was stored`);
    }
    return content;
  }

  /** Returns a picture's owner. The picture's id alone decides. Error: media_not_found. */
  async function findOwner({ id }: { readonly id: string }): Promise<{ tenantId: string; mode: Mode }> {
    const owner = isId("med", id) ? await identity.ownerOf(id) : null;
    if (!owner) throw mediaNotFound();
    return owner;
  }

  return {
    uploadMedia: operations.write({
      hasExternalEffects: true,
      decide: async ({ content, name }, { tenantId, mode, environment }) => {
        // The check comes before the decoding. Concurrent uploads of a tenant may exceed the quota by a few pictures.
        requireCapacity(await countMedia(environment, tenantId), quotas);
        const row = await keep(tenantId, content, name);
        const changes = [insert(Media, row), insertIdOwner(row.id, tenantId, mode)];
        return { response: { media: toMedia(row, mediaBase) }, changes, audit: { objectId: row.id } };
      },
    }),
    listMedia: operations.run(async ({ startingAfter, limit = LIMIT_DEFAULT }, { tenantId, environment }) => {
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit,
        startingAfter,
        what: "the id of an item of the list",
        find: idAsCursor("med"),
        read: (after, rowCount) => listMedia(environment, tenantId, after, rowCount),
      });
      return { media: rows.map((row) => toMedia(row, mediaBase)), hasMore, nextCursor };
    }),
    hideMedia: operations.write({
      decide: async ({ id }, { tenantId, environment }) => {
        const row = isId("med", id) ? await findMedia(environment, tenantId, id) : null;
        if (!row) throw mediaNotFound();
        if (row.hiddenAt) return { response: {}, changes: [] };
        const where = { tenantId, id, hiddenAt: null };
        const changes = [update(Media, where, { hiddenAt: wholeSecond(clock) })];
        return { response: {}, changes, audit: { objectId: id } };
      },
    }),
    getMedia: operations.run(
      async ({ id, withoutContent }, { tenantId, environment }) =>
        await reads.run(tenantId, async () => {
          const row = await findMedia(environment, tenantId, id);
          if (!row) throw mediaNotFound();
          const { sha256 } = row;
          const content = withoutContent ? new Uint8Array() : await read(row);
          return { content, contentType: PICTURE_TYPE, sha256 };
        }),
      findOwner,
    ),
  };
}

/** Error: quota_exceeded. */
function requireCapacity(
  kept: { readonly pictures: number; readonly bytes: number },
  { pictures, pictureBytes }: MediaDeps["quotas"],
): void {
  if (kept.pictures < pictures && kept.bytes < pictureBytes) return;
  const most = `${pictures} pictures and ${Math.floor(pictureBytes / MEGABYTE)} MB`;
  throw new PaylinkError(
    "quota_exceeded",
    `A tenant keeps at most ${most} in each mode, hidden ones included: ask the operator for more.`,
  );
}

function mediaNotFound(): PaylinkError {
  return noSuch("media_not_found", "picture");
}
