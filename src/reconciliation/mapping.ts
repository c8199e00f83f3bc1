import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  BankAccountSchema,
  BankImportSchema,
  BankPath as BankPathEnum,
  ContractedFeeSchema,
  DayState as DayStateEnum,
  DecisionSchema,
  DifferenceKind as DifferenceKindEnum,
  Leg as LegEnum,
  LineKind as LineKindEnum,
  MatchRule,
  Side as SideEnum,
  type BankAccount,
  type BankImport,
  type ContractedFee,
  type Decision,
} from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import type { BankAccountRow, BankImportRow, ContractedFeeRow, DecisionRow } from "./entities.ts";

export const kinds = wordsOf(LineKindEnum);
export const legs = wordsOf(LegEnum);
export const sides = wordsOf(SideEnum);
export const rules = wordsOf(MatchRule);
export const paths = wordsOf(BankPathEnum);
export const states = wordsOf(DayStateEnum);
export const differenceKinds = wordsOf(DifferenceKindEnum);

export function toBankAccount(row: BankAccountRow, importedUntil: string | null): BankAccount {
  return create(BankAccountSchema, {
    id: row.id,
    name: row.name,
    mapping: row.mapping == null ? undefined : JSON.stringify(row.mapping),
    providerAccountId: row.accountId ?? undefined,
    path: row.path == null ? undefined : paths.numbers[row.path],
    createdAt: timestampFromDate(row.createdAt),
    importedUntil: importedUntil ?? undefined,
  });
}

export function toBankImport(row: BankImportRow): BankImport {
  const { id, bankAccountId, fileName, sha256, importedCount, knownCount, importedBy, importedAt } = row;
  return create(BankImportSchema, {
    id,
    bankAccountId,
    fileName,
    sha256,
    importedCount,
    knownCount,
    importedAt: timestampFromDate(importedAt),
    importedBy,
  });
}

export function toContractedFee(row: ContractedFeeRow): ContractedFee {
  const { kind, brand, installmentsFrom, installmentsTo, percentPpm, fixedMinor } = row;
  return create(ContractedFeeSchema, {
    kind,
    brand: brand ?? undefined,
    installmentsFrom,
    installmentsTo,
    percentPpm,
    fixed: fixedMinor,
  });
}

export function toDecision(row: DecisionRow, lines: readonly { readonly day: string }[]): Decision {
  return create(DecisionSchema, {
    id: row.id,
    leg: legs.numbers[row.leg],
    reason: row.reason,
    lineKeys: [...row.lineKeys],
    madeBy: row.madeBy,
    madeAt: timestampFromDate(row.madeAt),
    undoneBy: row.undoneBy ?? undefined,
    undoneAt: stampOf(row.undoneAt),
    days: [...new Set(lines.map(({ day }) => day))].toSorted(),
  });
}
