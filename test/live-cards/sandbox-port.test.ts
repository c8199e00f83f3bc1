import { afterAll } from "vitest";
import { newId } from "../../contract/ids.ts";
import { SandboxCharge, SandboxRefund } from "../../src/providers/entities.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import type { CardRequest } from "../../src/providers/card-port.ts";
import { sandboxDirectory } from "../../src/providers/sandbox/sandbox.ts";
import { MovableClock } from "../support/clock.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { testCardPort } from "./card-port.ts";

const { url } = await cloneDatabase();
const entities = [SandboxCharge, SandboxRefund];
const environment = await openEnvironment({ url, poolMax: 2, schema: "test", entities });
afterAll(async () => await environment.orm.close());
const rows = await forFile(new DatabaseRows(url).open());
const clock = new MovableClock();

testCardPort("the sandbox", async () => {
  const tenantId = newId("ten");
  const { card, simulator } = await sandboxDirectory(environment, clock).offered({ tenantId, mode: "test" });
  if (!card || !simulator) throw new Error("the sandbox takes cards");
  return {
    provider: card,
    request: (changes = {}): CardRequest => ({
      reference: newId("pay").replace("_", ""),
      amountMinor: 15_990n,
      merchantName: "Shop",
      description: null,
      expiresAt: new Date(clock.nowMs() + 900_000),
      isRepeated: false,
      installments: 1,
      token: "tok_challenge",
      payer: {},
      returnUrl: "https://pay.example.com/pay/pl_1/cs_1",
      ...changes,
    }),
    waitsAs: "challenge",
    now: () => new Date(clock.nowMs()),
    pays: async (reference) => await simulator.act(reference, "approve"),
    declines: async (reference) => await simulator.act(reference, "decline"),
    declinedAs: "declined",
    chargedCount: async (reference) => {
      const paid = await rows.read(
        "SELECT FROM test.sandbox_charge WHERE reference = $1 AND status = 'paid'",
        [reference],
      );
      return paid.length;
    },
  };
});
