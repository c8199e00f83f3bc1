import { create } from "@bufbuild/protobuf";
import { PayerNameSchema, type PayerName } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { KeptPayer } from "./payer-details.ts";
import { payerOwner } from "./start-payment.ts";

/** Returns the first name and the initial of the last one, or "" if there is no name. */
export function shortName(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const [first = ""] = words;
  const initial = words.length < 2 ? undefined : words.at(-1)?.codePointAt(0);
  return initial === undefined ? first : `${first} ${String.fromCodePoint(initial).toUpperCase()}.`;
}

/** Returns the short names of the payers of these payments, of those who gave one, or whose bank did, while it is kept. */
export async function payerNames(
  { pool }: Environment,
  encryption: Encryption,
  tenantId: string,
  paymentIds: readonly string[],
): Promise<PayerName[]> {
  if (paymentIds.length === 0) return [];
  const { rows } = await pool.query<{ paymentId: string; sealedPayer: string }>({
    name: "payers of payments",
    text: `SELECT payment_id AS "paymentId", sealed_payer AS "sealedPayer" FROM charge
      WHERE tenant_id = $1 AND payment_id = ANY ($2) AND sealed_payer IS NOT NULL`,
    values: [tenantId, paymentIds],
  });
  const names = rows.map(async ({ paymentId, sealedPayer }) => {
    const text = await encryption.decrypt(sealedPayer, payerOwner(paymentId));
    const { bankName = "", name = bankName } = JSON.parse(text) as KeptPayer;
    return create(PayerNameSchema, { paymentId, name: shortName(name) });
  });
  return (await Promise.all(names)).filter(({ name }) => name !== "");
}
