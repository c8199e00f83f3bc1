import { lookup } from "node:dns";
import { expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { AsaasClient } from "../../src/providers/asaas/client.ts";
import { AsaasPix } from "../../src/providers/asaas/pix.ts";
import { AsaasCards } from "../../src/providers/asaas/provider.ts";
import { startAsaas } from "../support/asaas/asaas.ts";
import { forFile } from "../support/for-file.ts";
import { API_KEY, PERSON } from "./card-merchant.ts";

const asaas = await startAsaas({ accounts: [{ apiKey: API_KEY }], mode: "production" });
await forFile(Promise.resolve({ close: async () => await asaas.stop() }));
const client = await forFile(
  Promise.resolve(
    new AsaasClient(
      { id: "pac_1", apiKey: API_KEY, page: "invoice", baseUrl: asaas.baseUrl },
      {
        clock: { nowMs: () => asaas.clock.now().getTime() },
        guard: { check: (address) => new URL(address), lookup },
        limits: { connectMs: 2000, answerMs: 5000 },
      },
    ),
  ),
);
const cards = new AsaasCards(client);
const pix = new AsaasPix(client, () => undefined);

const requestOf = () => ({
  reference: newId("pay").replace("_", ""),
  amountMinor: 15_990n,
  merchantName: "Shop",
  description: "Shoes",
  expiresAt: new Date(asaas.clock.now().getTime() + 900_000),
  isRepeated: false,
  payer: { name: PERSON.name, document: "52998224725" },
});

test.each([
  ["of another price", { amountMinor: 15_991n }],
  ["of another number of installments", { installments: 3 }],
])("a card's charge %s under the reference is refused", async (_, other) => {
  const request = {
    ...requestOf(),
    installments: 2,
    token: null,
    returnUrl: "https://pay.example.com/pay/pl_1/cs_1",
  };
  await cards.authorize(request);
  expect((await cards.authorize({ ...request, isRepeated: true })).progress.status).toBe("challenge");
  const wrong = cards.authorize({ ...request, ...other, isRepeated: true });
  await expect(wrong).rejects.toMatchObject({ code: "wrong_charge" });
});

test("a PIX charge of another price under the reference is refused", async () => {
  const request = requestOf();
  const { code } = await pix.createCharge(request);
  expect(await pix.createCharge({ ...request, isRepeated: true })).toMatchObject({ code });
  const wrong = pix.createCharge({ ...request, amountMinor: 15_991n, isRepeated: true });
  await expect(wrong).rejects.toMatchObject({ code: "wrong_charge" });
});
