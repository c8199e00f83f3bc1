import { expect, test } from "vitest";
import { verifyData } from "../../cli/operate/backup/verify.ts";
import { dayAt } from "../../contract/day.ts";
import { readConfig } from "../../src/platform/config/config.ts";
import { DATA_KEY } from "../support/core-options.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const day = dayAt(Date.now()).subtract({ days: 2 }).toString();
service.clock.set(new Date(`${day}T12:00:00-03:00`));
const merchant = await createMerchant(service);
await merchant.pay();
service.clock.set(new Date());
await merchant.ledger.sealDay({ day }, merchant.as);

const verified = async () => await verifyData(service.databaseUrl, readConfig({}), [DATA_KEY]);

/** Changes rows past the triggers that keep them as they are, and back. */
async function tampered(there: string, back: string, reason: RegExp): Promise<void> {
  await rows.run("SET session_replication_role = replica");
  await rows.run(there);
  await expect(verified()).rejects.toThrow(reason);
  await rows.run(back);
  await rows.run("RESET session_replication_role");
}

test("books and seals that are right are counted", async () => {
  expect(await verified()).toMatchObject({ payments: 1, sealedDays: 1 });
});

test.each([
  [
    "a line of the books",
    "UPDATE test.ledger_line SET debit_minor = debit_minor + 1 WHERE debit_minor > 0",
    "UPDATE test.ledger_line SET debit_minor = debit_minor - 1 WHERE debit_minor > 0",
    /^The books of test mode are wrong, \d+ problems\. The first: \w+, /,
  ],
  [
    "a seal",
    "UPDATE test.day_seal SET payment_count = payment_count + 1",
    "UPDATE test.day_seal SET payment_count = payment_count - 1",
    new RegExp(`^The seal of ${day} of ${merchant.tenant.id} in test mode is broken\\.$`),
  ],
  [
    "a migration of a newer release",
    "INSERT INTO test.migration (name, executed_at) VALUES ('environment-9999', now())",
    "DELETE FROM test.migration WHERE name = 'environment-9999'",
    /test\/environment-9999, which this version does not know: restore it with the release that took it/,
  ],
])("%s that is not right is refused", async (_, there, back, reason) => {
  await tampered(there, back, reason);
});
