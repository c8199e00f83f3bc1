import { expect, test } from "vitest";
import { watchedAccountStatement } from "../../src/provider-accounts/watched-provider.ts";
import { PagarmeAccountStatement } from "../../src/providers/pagarme/account-statement.ts";
import { all, faultOf } from "../api-pix/connected.ts";
import { startedPagarme } from "../providers/play-pagarme.ts";
import { dayOf } from "../support/provider/dates.ts";

const { pagarme, client } = await startedPagarme();
const faults: string[] = [];
const statement = watchedAccountStatement(new PagarmeAccountStatement(client, () => undefined), (kind) =>
  faults.push(kind),
);

test("a statement of an account reports each of its failures, and passes on what it says", async () => {
  const today = dayOf(pagarme.clock.now());
  expect([statement.hasBalance, statement.hasToday]).toEqual([true, true]);
  expect(await all(statement.lines(today))).toEqual([]);
  expect(await statement.balance(today)).toEqual({ openingMinor: null, closingMinor: 0n });
  expect(faults).toEqual([]);
  pagarme.fail("listPayables", { kind: "text", status: 200, text: '{"data":7}' });
  expect(await faultOf(all(statement.lines(today)))).toEqual({ kind: "unknown", code: "unreadable" });
  pagarme.fail("readBalance", { kind: "busy", retryAfter: "7" });
  expect((await faultOf(statement.balance(today))).kind).toBe("busy");
  expect(faults).toEqual(["wrong", "busy"]);
});
