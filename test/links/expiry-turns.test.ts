import { afterAll, expect, test } from "vitest";
import { PaymentLink } from "../../src/links/entities.ts";
import { expireDue } from "../../src/links/expiry.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { PerTurn } from "../support/event-loop.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

// A link may have 64 KB of metadata, and its event 20 deliveries.
const AT_ONCE_MAX = 10;
const LINKS = 35;

const service = await forFile(startService());
const environment = await openEnvironment({
  url: service.databaseUrl,
  schema: "test",
  entities: [PaymentLink],
  // More connections than one are waited for while it has locks: those that wait for these may have all others.
  poolMax: 1,
});
afterAll(async () => await environment.orm.close());

test("a tenant's many links expire a few at a time, each once, so that others have their turns, on one connection", async () => {
  const merchant = await createMerchant(service);
  service.clock.set(new Date("2026-03-06T12:00:00Z"));
  const made = await Promise.all(Array.from({ length: LINKS }, () => merchant.newLink({ expires_in: 3600 })));
  service.clock.set(new Date("2026-03-06T14:00:00Z"));
  const events = new PerTurn();
  const expired: string[] = [];
  const changed = await expireDue({
    environment,
    mode: "test",
    clock: service.clock,
    checkoutBase: "http://127.0.0.1:8080",
    recordEvents: (_owner, ...contents) => {
      events.add(contents.length);
      expired.push(...contents.map(({ objectId }) => objectId));
      return [];
    },
  });
  expect(changed).toBe(LINKS);
  expect(expired.toSorted()).toEqual(made.toSorted());
  expect(events.most).toBeLessThanOrEqual(AT_ONCE_MAX);
});
