import { lookup } from "node:dns";
import { chargeRequest } from "../api-pix/connected.ts";
import { forFile } from "../support/for-file.ts";
import type { AdapterPlays } from "./adapter.ts";
import { API_KEY, ExampleBank } from "./example/bank.ts";
import { example } from "./example/registration.ts";

/** Starts the example's bank, and returns its provider played against it. */
export async function playExample(): Promise<AdapterPlays> {
  const bank = await forFile(ExampleBank.start());
  const config = {
    exampleKey: API_KEY,
    baseUrl: bank.baseUrl,
    callback: { kind: "token", secret: "x" } as const,
    callbackSecret: "y",
  };
  const account = { id: "pac_1", profile: "example", kind: "pix" } as const;
  const connection = await forFile(
    Promise.resolve(
      example.connect(account, config, {
        clock: { nowMs: () => Date.now() },
        guard: { check: (address) => new URL(address), lookup },
        limits: { connectMs: 2000, answerMs: 5000 },
        onSetAside: () => undefined,
        onClockGap: () => undefined,
      }),
    ),
  );
  if (connection.kind !== "pix") throw new Error("the example is of PIX");
  const pix = {
    provider: connection.provider,
    request: chargeRequest,
    now: () => new Date(),
    pays: async (reference: string) => await Promise.resolve(bank.pay(reference).id),
    openCount: async (reference: string) => await Promise.resolve(bank.isOpen(reference) ? 1 : 0),
    losesAnswer: (to: "charge" | "refund") => bank.losesAnswer(to === "charge" ? "charges" : "payments"),
    callbackOf: async (reference: string) => await Promise.resolve(bank.callbackOf(reference)),
  };
  return { isRemote: true, pix: async () => await Promise.resolve(pix) };
}
