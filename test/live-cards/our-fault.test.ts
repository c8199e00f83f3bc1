import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { callBack, cardToken, connectPagarme, KEYS, pagarmeOf } from "./pagarme-merchant.ts";

const counted: string[] = [];
const observer = {
  callEnded: () => undefined,
  attemptEnded: () => undefined,
  providerFailed: ({ mode, kind }: { mode: string; kind: string }) => void counted.push(`${mode} ${kind}`),
};
const service = await startService("direct", { allowLoopbackProviders: true, observer });
const cards = await forFile(pagarmeOf(service, [{ ...KEYS, isAntifraudOn: true }]));
const merchant = await connectPagarme(cards);

/** Pays in 18 installments by a card that its issuer refuses with a code. */
async function refused(code: string): Promise<string> {
  const token = await cardToken(cards.pagarme, undefined, { cvv: `6${code}` });
  return await merchant.paid(await merchant.opened(), 18, token);
}

test("a number of installments that its account offers and the issuer refuses is logged and counted once", async () => {
  const id = await refused("23");
  await callBack(cards, merchant, id);
  expect(await merchant.read(id)).toMatchObject({ status: "failed", failure_code: "payment_declined" });
  expect(service.faults.splice(0)).toEqual([{ mode: "live", payment_id: id }]);
  expect(counted.splice(0)).toEqual(["live wrong"]);
});

test("a card without the money is a payer's matter: nothing is logged or counted", async () => {
  const id = await refused("51");
  expect(await merchant.read(id)).toMatchObject({ status: "failed", failure_code: "insufficient_funds" });
  expect([service.faults, counted]).toEqual([[], []]);
});
