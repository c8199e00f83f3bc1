import type { Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  LedgerService,
  PaymentStatus,
  SealDeltaKind,
  type DaySeal,
} from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { tenantClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { day as dayArgument, forTenant, type TenantChoice } from "../output/options.ts";
import { print, timeCell, type Row, type Sheet } from "../output/output.ts";

const kinds = wordsOf(SealDeltaKind);
const statuses = wordsOf(PaymentStatus);
const methods = wordsOf(PaymentMethod);

export function addClose(program: Command): void {
  const close = program
    .command("close")
    .addHelpText(
      "after",
      examples(
        "close seal 2026-01-31 --tenant ten_… --mode live",
        "close show 2026-01-31 --tenant ten_… --mode live",
        "close verify 2026-01-31 --tenant ten_… --mode live --json",
      ),
    );
  forTenant(close.command("seal"))
    .description("seal past days of São Paulo; a sealed day keeps its seal")
    .argument("<days...>", "YYYY-MM-DD", (day: string, former: readonly string[] | undefined) => [
      ...(former ?? []),
      dayArgument(day),
    ])
    .action(async (days: readonly string[], choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, choice);
      const sealed: { readonly seal: DaySeal; readonly now: string }[] = [];
      for (const day of days) {
        const { seal, isNew } = await client.sealDay({ day }, options);
        if (seal) sealed.push({ seal, now: isNew ? "yes" : "no" });
      }
      const [first, ...others] = sealed;
      if (first && others.length === 0) print(command, { ...sealSheet(first.seal), sealed_now: first.now });
      else print(command, sealed.map(sealedRow));
    });
  forTenant(close.command("show"))
    .description("show the seal of a day, with its sums in the smallest unit")
    .argument("<day>", "YYYY-MM-DD", dayArgument)
    .action(async (day: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, choice);
      const { seal } = await client.getSeal({ day }, options);
      if (seal) print(command, sealSheet(seal));
    });
  forTenant(close.command("verify"))
    .description("count, sum and hash the sealed rows again and compare; exit 1 when anything differs")
    .argument("<day>", "YYYY-MM-DD", dayArgument)
    .action(async (day: string, choice: TenantChoice, command: Command) => {
      const { client, options } = await tenantClient(LedgerService, choice);
      const { seal, isIntact, rowsSha256, rowCount, deltaCount, deltas } = await client.verifySeal(
        { day },
        options,
      );
      print(command, {
        day,
        result: isIntact ? "intact" : "broken",
        sealed_sha256: seal?.rowsSha256 ?? null,
        kept_sha256: rowsSha256,
        rows: Number(rowCount),
        changed_since: Number(deltaCount),
        changed: deltas.map(({ paymentId, kind }) => `${paymentId} ${kinds.wordOf(kind) ?? "unknown"}`),
      });
      if (!isIntact) process.exitCode = 1;
    });
}

function sealSheet(seal: DaySeal): Sheet {
  return {
    day: seal.day,
    payments: Number(seal.paymentCount),
    bytes: Number(seal.byteCount),
    sha256: seal.rowsSha256,
    format: seal.formatVersion,
    sealed_at: timeCell(seal.sealedAt),
    sealed_by: seal.sealedBy ?? null,
    sums: sumRows(seal),
  };
}

function sealedRow({ seal, now }: { readonly seal: DaySeal; readonly now: string }): Row {
  return {
    day: seal.day,
    payments: Number(seal.paymentCount),
    sha256: seal.rowsSha256,
    sealed_at: timeCell(seal.sealedAt),
    sealed_now: now,
  };
}

/** The sums that are stored with the seal, in the smallest unit. */
function sumRows({ sums }: DaySeal): Row[] {
  return sums
    .toSorted((a, b) => a.status - b.status || a.paymentMethod - b.paymentMethod)
    .map((sum) => ({
      status: statuses.wordOf(sum.status) ?? "unknown",
      method: methods.wordOf(sum.paymentMethod) ?? "unknown",
      payments: Number(sum.paymentCount),
      gross: Number(sum.grossAmount),
      gross_currency: sum.grossCurrency,
      fee: Number(sum.feeAmount),
      fee_currency: sum.feeCurrency,
      net: Number(sum.netAmount),
      net_currency: sum.netCurrency,
    }));
}
