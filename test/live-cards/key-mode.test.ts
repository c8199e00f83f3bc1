import { lookup } from "node:dns";
import { expect, test } from "vitest";
import { AsaasClient } from "../../src/providers/asaas/client.ts";
import { PagarmeClient } from "../../src/providers/pagarme/client.ts";
import { startAsaas } from "../support/asaas/asaas.ts";
import { forFile } from "../support/for-file.ts";
import { startPagarme } from "../support/pagarme/pagarme.ts";

const ASAAS_KEY = "$aact_hmlg_000M5n9c4VbTq2Zs8Xk1Wd7Yp3RgL6";
const KEYS = { secretKey: "sk_test_0123456789abcdef", publicKey: "pk_0123456789abcdef" };
const asaas = await startAsaas({ accounts: [{ apiKey: ASAAS_KEY }] });
await forFile(Promise.resolve({ close: async () => await asaas.stop() }));
const pagarme = await startPagarme({ accounts: [KEYS] });
await forFile(Promise.resolve({ close: async () => await pagarme.stop() }));

const deps = {
  clock: { nowMs: () => Date.now() },
  guard: { check: (address: string) => new URL(address), lookup },
  limits: { connectMs: 2000, answerMs: 5000 },
};
const ofAsaas = new AsaasClient(
  { id: "pac_1", apiKey: ASAAS_KEY, page: "invoice", baseUrl: asaas.baseUrl },
  deps,
);
const ofPagarme = new PagarmeClient(
  {
    ...KEYS,
    id: "pac_2",
    baseUrl: pagarme.baseUrl,
    disputesUrl: "http://127.0.0.1:1/v1/disputes",
    jwksUrl: pagarme.jwksUrl,
    callbackKey: null,
    installmentsMax: 18,
    leastInstallmentMinor: 1n,
    payerFields: [],
  },
  deps,
);
for (const client of [ofAsaas, ofPagarme]) await forFile(Promise.resolve(client));

test.each([
  ["Asaas", async () => await ofAsaas.call("GET", "/payments"), asaas.requests],
  ["Pagar.me", async () => await ofPagarme.call("GET", "/orders"), pagarme.requests],
] as const)(
  "case 15: a test key of %s that was stored for live mode is not used: no call leaves",
  async (_, call, requests) => {
    await expect(call()).rejects.toMatchObject({ kind: "misconfigured", code: "wrong_mode" });
    expect(requests).toEqual([]);
  },
);
