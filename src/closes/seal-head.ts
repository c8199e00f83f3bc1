import { createHash } from "node:crypto";
import type { Mode } from "../platform/rpc/caller.ts";
import type { DaySealRow, KeptSum } from "./entities.ts";

/**
 * Returns the lower-case hex SHA-256 of a seal's fields except its rows, with its mode and tenant. The hashed text is
 * fixed for format 1.
 */
export function headSha256(mode: Mode, seal: Omit<DaySealRow, "headSha256">): string {
  const head = [
    mode,
    seal.tenantId,
    seal.day,
    seal.formatVersion,
    String(seal.paymentCount),
    String(seal.byteCount),
    seal.rowsSha256,
    sumTexts(seal.sums),
    seal.sealedAt.toISOString(),
    seal.sealedBy ?? null,
  ];
  return createHash("sha256").update(JSON.stringify(head)).digest("hex");
}

/** Returns each sum as a text, sorted: two lists of sums are equal if these texts are. */
export function sumTexts(sums: readonly KeptSum[]): string[] {
  return sums
    .map((sum) =>
      JSON.stringify([
        sum.grossCurrency,
        sum.netCurrency,
        sum.feeCurrency,
        sum.method,
        sum.status,
        sum.paymentCount,
        sum.grossMinor,
        sum.feeMinor,
        sum.netMinor,
      ]),
    )
    .toSorted();
}
