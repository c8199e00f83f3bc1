import { afterAll, expect, test } from "vitest";
import { IdOwner } from "../../src/identity/entities.ts";
import { linksEntities, PaymentLink } from "../../src/links/entities.ts";
import { AuditEntry } from "../../src/platform/rpc/audit-entry.ts";
import { Batch } from "../../src/platform/write/batch-query.ts";
import { ChangeShapes, type InsertChange } from "../../src/platform/write/change.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { cloneDatabase } from "../support/database.ts";

const { url } = await cloneDatabase();
const entities = [...linksEntities, IdOwner];
const environment = await openEnvironment({ url, schema: "test", entities, poolMax: 1 });
afterAll(async () => await environment.orm.close());
const shapes = new ChangeShapes(environment.orm.getMetadata());

const into = (entity: InsertChange["entity"]): InsertChange => ({ kind: "insert", entity, row: {} });

function textOf(commits: readonly (readonly InsertChange[])[]): string {
  const batch = new Batch(shapes, [], false);
  for (const inserts of commits) batch.add({ claim: null, guards: [], inserts });
  return batch.query().text;
}

test("the query of commits depends on their tables, and not on the order in which they come", () => {
  const [link, owner, entry] = [into(PaymentLink), into(IdOwner), into(AuditEntry)];
  const orders = [
    [
      [link, owner],
      [owner, entry],
    ],
    [
      [owner, entry],
      [link, owner],
    ],
    [[entry], [owner], [link]],
    [[entry, link, owner]],
  ];
  expect(new Set(orders.map(textOf)).size).toBe(1);
  expect(textOf([[link]])).not.toBe(textOf([[link, owner]]));
});
