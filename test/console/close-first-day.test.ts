import { expect, test } from "vitest";
import { daysBefore, today } from "../../gateway/console/day.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("a month offers no close of a day before the company's first one", async () => {
  const tenant = await service.createTenant();
  const first = daysBefore(today(), 40);
  await rows.run("UPDATE identity.tenant SET created_at = $2 WHERE id = $1", [
    tenant.id,
    `${first}T15:00:00Z`,
  ]);
  const finance = new ConsoleClient(service, await createUser(service, tenant.id, "finance"));
  const offered = async (day: string) => {
    const { body, statusCode } = await finance.get(`/console/live/close?month=${day.slice(0, 7)}`);
    expect([statusCode, body.includes(`/close/${day}"`)]).toEqual([200, true]);
    return body.includes(`/close/${day}/seal"`);
  };
  expect(await offered(first)).toBe(true);
  expect(await offered(daysBefore(first, -1))).toBe(true);
  expect(await offered(daysBefore(first, 1))).toBe(false);
});
