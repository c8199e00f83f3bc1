import { createHash } from "node:crypto";
import type { Mode } from "../platform/caller.ts";
import type { DaySealRow, KeptSum } from "./entities.ts";

/** What a seal says beside its rows, and whose it is: lower-case hex SHA-256. Its text is of format 1, for ever. */
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

/** Each sum as a text, in an order of their own: two lists of sums are the same when these are. */
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
