import { createClient } from "@connectrpc/connect";
import { parse } from "csv-parse/sync";
import { beforeEach, describe, expect, test } from "vitest";
import { ActorKind, AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { FORMULA_TEXTS, formulaCells } from "../support/formula-cells.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { startService, type TestTenant } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const PATH = "/console/test/audit";
const MANY = 2345;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
let tenant: TestTenant;
let finance: TestUser;
let client: ConsoleClient;
beforeEach(async () => {
  tenant = await service.createTenant();
  finance = await createUser(service, tenant.id, "finance");
  client = new ConsoleClient(service, finance);
});
const identity = () => createClient(IdentityService, service.core.transport);
const rename = async (name: string) =>
  await identity().updateTenant({ tenantId: tenant.id, name }, service.internal);
const listed = async () =>
  (
    await createClient(AuditLogService, service.core.transport).listAuditEntries(
      { tenantId: tenant.id, mode: Mode.TEST, limit: 1000 },
      service.internal,
    )
  ).entries;

/** Rows of the table on a page. */
function rowCount(body: string): number {
  return body.match(/<th scope="row"/g)?.length ?? 0;
}

async function addMany(): Promise<void> {
  await rows.run(
    `INSERT INTO identity.audit_entry SELECT $1, 'aud_' || lpad(n::text, 26, '0'), now() - n * interval '1 minute', 'core', '', '',
      'UpdateTenant', NULL, $1, '{}', '', 'req_x' FROM generate_series(1, $2::int) AS n`,
    [tenant.id, MANY],
  );
}

describe("the page", () => {
  test("shows the beginning of long details, which its files have whole", async () => {
    const long = "<".repeat(60_000);
    await rows.run(
      `INSERT INTO identity.audit_entry VALUES ($1, 'aud_00000000000000000000000001', now(), 'core', '', '', 'UpdatePaymentLink',
        'test', 'pl_1', $2, '', 'req_x')`,
      [tenant.id, JSON.stringify({ long })],
    );
    const { body } = await client.get(`${PATH}?lang=en`);
    const shown = body.match(/&lt;/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(3000);
    expect(shown).toBeLessThan(4000);
    expect(body).toContain("Only the beginning is shown here.");
    expect((await client.get(`${PATH}/export.jsonl`)).body).toContain(long);
    await rename("Short");
    expect((await client.get(`${PATH}?lang=en&action=UpdateTenant`)).body).not.toContain(
      "Only the beginning",
    );
  });

  test("shows who did what, from where, and what holds for both environments", async () => {
    const owner = await createUser(service, tenant.id, "owner");
    const theirs = new ConsoleClient(service, owner);
    await theirs.post("/console/test/settings", `/console/test/settings/entities/${tenant.legalEntityId}`, {
      name: "Ana Ltda.",
    });
    const { body } = await client.get(`${PATH}?lang=en`);
    expect(body).toContain("Renamed a legal entity");
    expect(body).toContain(owner.email);
    expect(body).toContain("127.0.0.1");
    expect(body).toContain(tenant.legalEntityId);
    expect(rowCount(body)).toBe((await listed()).length);
  });

  test("shows entries of its own environment, not of the other one", async () => {
    const { id } = await service.createKey(tenant.id, "live");
    expect((await client.get(PATH)).body).not.toContain(id);
    expect((await client.get("/console/live/audit")).body).toContain(id);
  });

  test("shows nothing of another company", async () => {
    const other = await service.createTenant();
    const body = (await client.get(PATH)).body;
    expect(body).not.toContain(other.id);
    expect(body).toContain(tenant.id);
  });

  test("is filtered by days, actor and action, and shows what to do when nothing is left", async () => {
    await rename("A");
    const count = async (query: string) => rowCount((await client.get(`${PATH}?${query}`)).body);
    const all = await count("");
    expect(await count("action=UpdateTenant")).toBe(1);
    expect(await count("actor=user")).toBe(1);
    expect(await count("actor=core")).toBe(all - 1);
    expect(await count("actor=usr_nobody")).toBe(0);
    expect(await count("from=2000-01-01&to=2000-01-02")).toBe(0);
    expect((await client.get(`${PATH}?to=2000-01-02`)).body).toContain("limpe o filtro");
  });

  test.each(["from=2026-02-30", "from=2026-02-02&to=2026-02-01", "from=yesterday", "after=aud_unknown"])(
    "shows what is wrong with %s",
    async (query) => {
      const { statusCode, body } = await client.get(`${PATH}?${query}`);
      expect([statusCode, body.includes('role="alert"')]).toEqual([422, true]);
    },
  );

  test("goes on page by page, with its filter", async () => {
    await addMany();
    const seen = new Set<string>();
    let next: string | undefined = `${PATH}?action=UpdateTenant`;
    for (let page = 0; next !== undefined && page < 3; page++) {
      const { body } = await client.get(next);
      expect(rowCount(body)).toBe(20);
      expect(body).toMatch(/Linhas \d+ a \d+ de 1\.000\+/);
      for (const [time] of body.matchAll(/<time[^>]* datetime="[^"]+"/g)) seen.add(time);
      next = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll("&amp;", "&");
      expect(next).toContain("action=UpdateTenant");
    }
    expect(seen.size).toBe(60);
  });

  test("shows texts of others as texts", async () => {
    await rename(HOSTILE);
    const { body } = await client.get(PATH);
    expect(body).toContain(HOSTILE_ESCAPED.replaceAll("&quot;", "\\&quot;"));
    expect(body).not.toContain("<script>alert");
  });
});

describe("a file", () => {
  test("of lines of JSON holds every entry, latest first", async () => {
    await rename("A");
    const before = await listed();
    const { statusCode, headers, body } = await client.get(`${PATH}/export.jsonl`);
    expect([statusCode, headers["content-type"]]).toEqual([200, "application/jsonl; charset=utf-8"]);
    expect(headers["content-disposition"]).toBe('attachment; filename="audit-test.jsonl"');
    const lines = body
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(lines[0]).toMatchObject({
      action: "UpdateTenant",
      actor_kind: "core",
      details: { name: "A" },
      mode: "",
    });
  });

  test("of CSV holds the same, and no cell is a formula", async () => {
    const address = "=HYPERLINK(1)";
    const details = { name: HOSTILE, texts: FORMULA_TEXTS };
    const name = `@x${FORMULA_TEXTS.join("")}`;
    await rows.run(
      `INSERT INTO identity.audit_entry VALUES ($1, 'aud_1', now(), 'user', '+1', $4, '-1', NULL, '=1', $2, $3, 'req_x')`,
      [tenant.id, JSON.stringify(details), address, name],
    );
    const before = await listed();
    const { headers, body } = await client.get(`${PATH}/export.csv`);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
    const records: Record<string, string>[] = parse(body, { columns: true, bom: true });
    expect(records.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    const record = records.find(({ id }) => id === "aud_1");
    expect(record).toMatchObject({
      actor_id: "'+1",
      action: "'-1",
      object_id: "'=1",
      address: `'${address}`,
    });
    expect(record?.["actor_name"]).toMatch(/^'@x/);
    expect(record?.["actor_name"]?.replaceAll("'", "")).toBe(name.replaceAll("'", ""));
    expect(JSON.parse(record?.["details"] ?? "")).toEqual(details);
    expect(formulaCells(body)).toEqual([]);
  });

  test("is as long as it takes, and of the filter's entries", async () => {
    await addMany();
    const { body } = await client.get(`${PATH}/export.jsonl?action=UpdateTenant`);
    const ids = body
      .trimEnd()
      .split("\n")
      .map((line): string => JSON.parse(line).id);
    expect([ids.length, new Set(ids).size]).toEqual([MANY, MANY]);
  });

  test("is itself in the log, with who took it, when, of which days and by which filter", async () => {
    const day = "2026-01-02";
    const query = `from=${day}&to=${day}`;
    await client.get(`${PATH}/export.csv?${query}&action=UpdateTenant`);
    await client.get(`/console/test/payments/export.jsonl?${query}&net=BRL`);
    const taken = (await listed()).filter(({ action }) => action === "RecordExport");
    expect(taken).toMatchObject([
      {
        actorKind: ActorKind.USER,
        actorName: finance.email,
        mode: Mode.TEST,
        address: "127.0.0.1",
        details: {
          kind: "EXPORT_KIND_PAYMENTS",
          format: "jsonl",
          from: day,
          to: day,
          filter: { net: "BRL" },
          row_count: "0",
        },
      },
      {
        actorName: finance.email,
        details: {
          kind: "EXPORT_KIND_AUDIT_LOG",
          format: "csv",
          from: day,
          filter: { action: "UpdateTenant" },
        },
      },
    ]);
    expect((await client.get(`${PATH}?lang=en`)).body).toContain("Took an export");
    // What is wrong with a filter is no export, and neither is a look at a file's headers.
    await client.get(`${PATH}/export.csv?from=2026-02-30`);
    expect((await listed()).filter(({ action }) => action === "RecordExport")).toHaveLength(2);
  });

  test("of a wrong filter leads to the page that shows it", async () => {
    const { statusCode, headers } = await client.get(`${PATH}/export.csv?from=2026-02-30`);
    expect([statusCode, headers.location]).toEqual([303, `${PATH}?from=2026-02-30`]);
  });
});
