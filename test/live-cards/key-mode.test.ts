import { lookup } from "node:dns";
import { expect, test } from "vitest";
import { AsaasClient } from "../../src/asaas/client.ts";
import { startAsaas } from "../support/asaas/asaas.ts";
import { forFile } from "../support/for-file.ts";

const KEY = "$aact_hmlg_000M5n9c4VbTq2Zs8Xk1Wd7Yp3RgL6";
const asaas = await startAsaas({ accounts: [{ apiKey: KEY }] });
await forFile(Promise.resolve({ close: async () => await asaas.stop() }));
const client = await forFile(
  Promise.resolve(
    new AsaasClient(
      { id: "pac_1", apiKey: KEY, page: "invoice", baseUrl: asaas.baseUrl },
      {
        clock: { nowMs: () => Date.now() },
        guard: { check: (address) => new URL(address), lookup },
        limits: { connectMs: 2000, answerMs: 5000 },
      },
    ),
  ),
);

test("case 15: a test key that was stored for live mode is not used: no call leaves", async () => {
  const asked = client.call("GET", "/payments");
  await expect(asked).rejects.toMatchObject({ kind: "misconfigured", code: "wrong_mode" });
  expect(asaas.requests).toEqual([]);
});
