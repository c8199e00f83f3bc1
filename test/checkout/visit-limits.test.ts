import { expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { VisitLimits } from "../../gateway/checkout/visit-limits.ts";

const limits = new VisitLimits({ perAddress: 0, perLink: 1 });

test("a link's visits are counted, and the name of one that cannot be is not kept", async () => {
  const link = newId("pl");
  expect(await limits.count("192.0.2.1", link)).toBeUndefined();
  expect(await limits.count("192.0.2.1", link)).toBeGreaterThan(0);
  const name = "x".repeat(15_000);
  for (let count = 0; count < 3; count++) expect(await limits.count("192.0.2.1", name)).toBeUndefined();
});
