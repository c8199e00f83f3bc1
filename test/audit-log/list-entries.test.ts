import { randomBytes } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { AuditLogService, type AuditEntry } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { asUser as asUserWith, auditEntries, USER } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

let tenantId: string;
const service = await forFile(startService());
beforeEach(async () => {
  tenantId = (await service.createTenant()).id;
});

const identity = () => createClient(IdentityService, service.core.transport);
const asUser = () => asUserWith(service.internal);
const entries = async (filter: object = {}) => await auditEntries(service, tenantId, filter);

describe("the list", () => {
  test("is by page, latest first, of one's own tenant, and by actor, action and environment", async () => {
    const { id: other } = await service.createTenant();
    for (const name of ["a", "b", "c"]) {
      await identity().updateTenant({ tenantId, name }, asUser());
      await identity().updateTenant({ tenantId: other, name }, service.internal);
      service.clock.advance(1);
    }
    await identity().createApiKey({ tenantId, mode: Mode.LIVE }, service.internal);
    const log = createClient(AuditLogService, service.core.transport);
    const page = async (filter: object) =>
      await log.listAuditEntries({ tenantId, ...filter }, service.internal);
    const all = await entries();
    const walked: AuditEntry[] = [];
    for (let after: string | undefined, hasMore = true; hasMore; after = walked.at(-1)?.id) {
      const { entries: some, hasMore: more } = await page({
        limit: 2,
        ...(after ? { startingAfter: after } : {}),
      });
      walked.push(...some);
      hasMore = more;
    }
    expect(walked).toEqual(all);
    expect(all.map(({ action }) => action)).toEqual([
      "CreateApiKey",
      ...Array<string>(3).fill("UpdateTenant"),
      "CreateApiKey",
      "CreateApiKey",
      "CreateTenant",
    ]);
    expect(await entries({ actor: USER })).toHaveLength(3);
    expect(await entries({ actor: "core" })).toHaveLength(4);
    expect(await entries({ actor: USER, action: "CreateApiKey" })).toEqual([]);
    expect(await entries({ action: "UpdateTenant" })).toHaveLength(3);
    expect((await entries({ mode: Mode.TEST })).map(({ mode }) => mode)).toEqual([
      undefined,
      undefined,
      undefined,
      Mode.TEST,
      undefined,
    ]);
    const [foreign] = (await log.listAuditEntries({ tenantId: other }, service.internal)).entries;
    expect(await codeOf(page({ startingAfter: foreign?.id }))).toBe("invalid_request");
  });

  test("has fewer entries on a page if their details are long, and all of them page by page", async () => {
    const log = createClient(AuditLogService, service.core.transport);
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const values = {
      short: "a",
      repeated: "a".repeat(60_000),
      random: randomBytes(45_000).toString("base64"),
    };
    for (const [kind, text] of Object.entries(values)) {
      await rows.run(
        `INSERT INTO identity.audit_entry SELECT $1, 'aud_' || $2 || lpad(n::text, 3, '0'), date_trunc('second', now()) - n * interval '1 minute', 'core', '', '',
          $2, 'test', 'pl_1', $3, '', 'req_x' FROM generate_series(1, 30) AS n`,
        [tenantId, kind, JSON.stringify({ text })],
      );
    }
    const pagesOf = async (filter: object) => {
      const pages: string[][] = [];
      for (let after: string | undefined, hasMore = true; hasMore; after = pages.at(-1)?.at(-1)) {
        const request = { tenantId, limit: 1000, ...filter, ...(after ? { startingAfter: after } : {}) };
        const page = await log.listAuditEntries(request, service.internal);
        pages.push(page.entries.map(({ id }) => id));
        ({ hasMore } = page);
      }
      return pages;
    };
    const lengths = async (filter: object) => (await pagesOf(filter)).map(({ length }) => length);
    expect(await lengths({ action: "short" })).toEqual([30]);
    expect(await lengths({ action: "short", limit: 20 })).toEqual([20, 10]);
    expect(await lengths({ action: "repeated", actor: "core", mode: Mode.TEST })).toEqual([
      4, 4, 4, 4, 4, 4, 4, 2,
    ]);
    expect(await lengths({ action: "random", isOldestFirst: true })).toEqual([4, 4, 4, 4, 4, 4, 4, 2]);
    expect(await lengths({ action: "random", limit: 3 })).toEqual(Array<number>(10).fill(3));
    const latestFirst = (await pagesOf({})).flat();
    expect(new Set(latestFirst).size).toBe(latestFirst.length);
    expect((await pagesOf({ isOldestFirst: true })).flat()).toEqual(latestFirst.toReversed());
    await rows.close();
  });

  test("is of days in São Paulo, both included", async () => {
    service.clock.set(new Date("2026-03-10T02:59:59Z"));
    await identity().updateTenant({ tenantId, name: "late on the 9th" }, asUser());
    service.clock.set(new Date("2026-03-10T03:00:00Z"));
    await identity().updateTenant({ tenantId, name: "early on the 10th" }, asUser());
    const named = async (filter: object) =>
      (await entries({ action: "UpdateTenant", ...filter })).map(({ details }) => details?.["name"]);
    expect(await named({ from: "2026-03-09", to: "2026-03-09" })).toEqual(["late on the 9th"]);
    expect(await named({ from: "2026-03-10", to: "2026-03-10" })).toEqual(["early on the 10th"]);
    expect(await named({ to: "2026-03-10" })).toHaveLength(2);
    expect(await named({ from: "2026-03-11" })).toEqual([]);
    expect(await codeOf(entries({ from: "2026-02-30" }))).toBe("invalid_request");
    expect(await codeOf(entries({ from: "2026-03-02", to: "2026-03-01" }))).toBe("invalid_request");
  });
});
