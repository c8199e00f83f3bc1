import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { givenDetails } from "../../src/checkout/given-details.ts";
import type { Payer } from "../../src/checkout/payer-details.ts";
import { payerOwner } from "../../src/checkout/start-payment.ts";
import { Encryption } from "../../src/platform/db/encryption.ts";
import { cloneDatabase } from "../support/database.ts";

const { url } = await cloneDatabase();
const pool = new pg.Pool({ connectionString: url, options: "-c search_path=identity" });
afterAll(async () => await pool.end());
const encryption = await Encryption.forDatabase(pool, Buffer.alloc(32, 1));

const ANA = { name: "Ana Souza", document: "52998224725" };
const BIA = { name: "Bia Lima", document: "11144477735" };
const PHONE = { phone: "+5511912345678" };

/** Returns what a session's attempts give together, newest first. Null: an attempt without details. */
async function given(...attempts: (Payer | null)[]): Promise<Payer> {
  const charges = attempts.map(async (payer, index) => {
    const paymentId = `pay_${index}`;
    const sealedPayer = payer && (await encryption.encrypt(JSON.stringify(payer), payerOwner(paymentId)));
    return { paymentId, sealedPayer };
  });
  return await givenDetails(encryption, await Promise.all(charges));
}

test.each<[string, (Payer | null)[], Payer]>([
  ["nothing gives nothing", [null], {}],
  ["an attempt without details takes nothing away", [null, ANA], ANA],
  [
    "an older attempt adds what a newer one of the same payer did not need",
    [ANA, { ...ANA, ...PHONE }],
    { ...ANA, ...PHONE },
  ],
  ["an older attempt of another payer adds nothing", [BIA, { ...ANA, ...PHONE }], BIA],
  ["nothing is added from before another payer's attempt", [ANA, BIA, { ...ANA, ...PHONE }], ANA],
])("%s", async (_, attempts, expected) => {
  expect(await given(...attempts)).toEqual(expected);
});
