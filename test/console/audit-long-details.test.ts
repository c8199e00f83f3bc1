import { randomBytes } from "node:crypto";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const PATH = "/console/test/audit";
const ENTRIES = 20;
const KIB = 1024;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const tenant = await service.createTenant();
const client = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));

const details = { metadata: { text: `"é;${randomBytes(60 * KIB).toString("hex")}` } };
const all = Array.from({ length: ENTRIES }, () => details);

test("a page shows the beginning of long details, and a file all of them", async () => {
  for (let number = 0; number < ENTRIES; number++) {
    await rows.run(
      `INSERT INTO identity.audit_entry
        VALUES ($1, $2, now() + interval '1 minute', 'api_key', 'key_1', '', 'UpdatePaymentLink', 'test', 'pl_1', $3, '', 'req_x')`,
      [tenant.id, `aud_long${number}`, JSON.stringify(details)],
    );
  }
  const { statusCode, body } = await client.get(`${PATH}?lang=en`);
  expect(statusCode).toBe(200);
  expect(body).toContain("Only the beginning is shown here");
  expect(body.length).toBeLessThan(ENTRIES * 10 * KIB);
  const json = (await client.get(`${PATH}/export.jsonl?action=UpdatePaymentLink`)).body.trimEnd().split("\n");
  expect(json.map((line): unknown => JSON.parse(line).details)).toEqual(all);
  const csv = (await client.get(`${PATH}/export.csv?action=UpdatePaymentLink`)).body;
  const records: Record<string, string>[] = parse(csv, { columns: true, bom: true });
  expect(records.map((record): unknown => JSON.parse(record["details"] ?? ""))).toEqual(all);
});
