import { type Line } from "../../src/ledger/postings.ts";

/** A line as the pricing page writes it: "Dr account:CURRENCY minor". */
export function writtenLine({ account, currency, debitMinor, creditMinor }: Line): string {
  const [side, minor] = debitMinor > 0n ? ["Dr", debitMinor] : ["Cr", creditMinor];
  return `${side} ${account}:${currency} ${minor}`;
}
