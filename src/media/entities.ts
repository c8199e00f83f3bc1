import { defineEntity, p, type InferEntity } from "@mikro-orm/core";

/** A picture. The storage has its bytes under its id. */
export const Media = defineEntity({
  name: "Media",
  tableName: "media",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    name: p.string().columnType("text"),
    byteCount: p.integer(),
    width: p.integer(),
    height: p.integer(),
    sha256: p.string().columnType("text"),
    createdAt: p.datetime(),
    hiddenAt: p.datetime().nullable(),
  },
});

export type MediaRow = InferEntity<typeof Media>;

export const mediaEntities = [Media];
