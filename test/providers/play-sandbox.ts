import { dayAt } from "../../contract/day.ts";
import { newId } from "../../contract/ids.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import type { CardRequest } from "../../src/providers/card-port.ts";
import { SandboxCharge, SandboxRefund } from "../../src/providers/entities.ts";
import type { ChargeRequest } from "../../src/providers/ports.ts";
import { sandboxDirectory } from "../../src/providers/sandbox/sandbox.ts";
import { MovableClock } from "../support/clock.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import type { PlayedStatement } from "./account-statement-port.ts";
import type { AdapterPlays } from "./adapter.ts";

/** Returns the sandbox of tenants in a database of its own. */
export async function playSandbox(): Promise<AdapterPlays> {
  const { url } = await cloneDatabase();
  const entities = [SandboxCharge, SandboxRefund];
  const environment = await openEnvironment({ url, poolMax: 2, schema: "test", entities });
  await forFile(Promise.resolve({ close: async () => await environment.orm.close() }));
  const rows = await forFile(new DatabaseRows(url).open());
  const clock = new MovableClock();
  const count = async (reference: string, status: string): Promise<number> =>
    await rows.count("test.sandbox_charge WHERE reference = $1 AND status = $2", [reference, status]);
  const offered = async () =>
    await sandboxDirectory(environment, clock).offered({ tenantId: newId("ten"), mode: "test" });
  const request = (): ChargeRequest => ({
    reference: newId("pay").replace("_", ""),
    amountMinor: 15_990n,
    merchantName: "Shop",
    description: null,
    expiresAt: new Date(clock.nowMs() + 900_000),
    isRepeated: false,
  });
  const now = (): Date => new Date(clock.nowMs());
  const playStatement = async (): Promise<PlayedStatement> => {
    const { pix, simulator, accountStatement } = await offered();
    if (!pix || !simulator || !accountStatement) throw new Error("the sandbox has a statement");
    let reference = "";
    return {
      statement: accountStatement,
      today: () => dayAt(clock.nowMs()).toString(),
      nextDay: () => clock.advance(86_400),
      receives: async () => {
        const asked = request();
        reference = asked.reference;
        await pix.createCharge(asked);
        await simulator.act(reference, "approve");
        return `sandbox-${reference}`;
      },
      givesBack: async () => {
        const terms = { amountMinor: 5_000n, reason: null, requestedAt: now() };
        await pix.refund({ ...terms, refundId: newId("ref"), providerPaymentId: `sandbox-${reference}` });
        return 5_000n;
      },
    };
  };
  return {
    isRemote: false,
    statement: playStatement,
    pix: async () => {
      const { pix, simulator } = await offered();
      if (!pix || !simulator) throw new Error("the sandbox takes PIX");
      return {
        provider: pix,
        request: (changes = {}) => ({ ...request(), ...changes }),
        now,
        pays: async (reference) => {
          await simulator.act(reference, "approve");
          return `sandbox-${reference}`;
        },
        openCount: async (reference) => await count(reference, "waiting"),
      };
    },
    cards: async () => {
      const { card, simulator } = await offered();
      if (!card || !simulator) throw new Error("the sandbox takes cards");
      return {
        provider: card,
        request: (changes = {}): CardRequest => ({
          ...request(),
          installments: 1,
          token: "tok_challenge",
          payer: {},
          returnUrl: "https://pay.example.com/pay/pl_1/cs_1",
          ...changes,
        }),
        waitsAs: "challenge",
        now,
        pays: async (reference) => await simulator.act(reference, "approve"),
        declines: async (reference) => await simulator.act(reference, "decline"),
        declinedAs: "declined",
        chargedCount: async (reference) => await count(reference, "paid"),
      };
    },
  };
}
