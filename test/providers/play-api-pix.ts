import { accountAt, chargeRequest, connected, testBank } from "../api-pix/connected.ts";
import { forFile } from "../support/for-file.ts";
import { moneyBody } from "../../tools/bank/messages.ts";
import type { AdapterPlays } from "./adapter.ts";

/** Starts a bank, and returns the API Pix played against it. */
export async function playApiPix(): Promise<AdapterPlays> {
  const made = await testBank();
  const { bank } = made;
  await forFile(Promise.resolve({ close: async () => await bank.stop() }));
  const { provider } = connected(made, accountAt(made));
  const chargeOf = (reference: string) => bank.account().charges.get(reference);
  const pix = {
    provider,
    request: chargeRequest,
    now: () => bank.clock.now(),
    pays: async (reference: string) => {
      const priceMinor = chargeOf(reference)?.revisions.at(-1)?.terms.amountMinor ?? 0n;
      return await Promise.resolve(bank.pay(reference, priceMinor).endToEndId);
    },
    losesAnswer: (to: "charge" | "refund") =>
      bank.fail(to === "charge" ? "createCharge" : "return", { kind: "lost" }),
    openCount: async (reference: string) =>
      await Promise.resolve(chargeOf(reference)?.status === "ATIVA" ? 1 : 0),
    callbackOf: async (reference: string) => {
      const money = chargeOf(reference)?.money ?? [];
      return await Promise.resolve(
        JSON.stringify({ pix: money.map((one) => moneyBody(one, bank.timeForm, true)) }),
      );
    },
  };
  return { isRemote: true, pix: async () => await Promise.resolve(pix) };
}
