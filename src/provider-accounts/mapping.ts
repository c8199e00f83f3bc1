import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { create } from "@bufbuild/protobuf";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  CallbackProofKind,
  ProviderAccountState,
  ProviderKind,
  ProviderAccountSchema,
  ProviderSchema,
  ProviderSettingKind,
  UnknownMoneySchema,
  type Provider,
  type ProviderAccount,
  type UnknownMoney,
} from "../../gen/paylink/providers/v1/providers_pb.ts";
import type { Offered } from "../providers/registry.ts";
import { maxLengthOf, type Words } from "../providers/settings.ts";
import type { AccountRow } from "./entities.ts";
import type { ShownMoney } from "./unknown-money.ts";

const kinds = wordsOf(ProviderKind);
const states = wordsOf(ProviderAccountState);
const proofs = wordsOf(CallbackProofKind);
const settingKinds = wordsOf(ProviderSettingKind);

export function toProvider({ kind, profile, settings }: Offered): Provider {
  return create(ProviderSchema, {
    profile,
    kind: kinds.numberOf(kind) ?? ProviderKind.UNSPECIFIED,
    settings: settings.map((setting) => ({
      name: setting.name,
      kind: settingKinds.numberOf(setting.kind) ?? ProviderSettingKind.UNSPECIFIED,
      label: toText(setting.label),
      ...(setting.help ? { help: toText(setting.help) } : {}),
      isRequired: setting.isRequired ?? false,
      isSecret: setting.isSecret ?? false,
      maxLength: maxLengthOf(setting),
      options: (setting.options ?? []).map(([value, label]) => ({ value, label: toText(label) })),
    })),
  });
}

function toText([pt, en]: Words): { pt: string; en: string } {
  return { pt, en };
}

/** Returns an account as it is shown: without its credentials and the address of its callbacks. */
export function toAccount(row: AccountRow, unreadDays: string[] = []): ProviderAccount {
  const { id, profile, label, fingerprint, lastFour, isDemo } = row;
  const { verifiedAt, rotatedAt, certificateSubject, certificateNotAfter } = row;
  const { callbacksInterruptedAt, fewCallsAt } = row;
  return create(ProviderAccountSchema, {
    id,
    profile,
    fingerprint,
    lastFour,
    certificateSubject: certificateSubject ?? "",
    isDemo,
    unreadDays,
    kind: kinds.numberOf(row.kind) ?? ProviderKind.UNSPECIFIED,
    state: states.numberOf(row.state) ?? ProviderAccountState.UNSPECIFIED,
    callbackProof: proofs.numberOf(row.callbackProof) ?? CallbackProofKind.UNSPECIFIED,
    createdAt: timestampFromDate(row.createdAt),
    ...(certificateNotAfter ? { certificateExpiresAt: timestampFromDate(certificateNotAfter) } : {}),
    ...(label == null ? {} : { label }),
    ...(verifiedAt ? { verifiedAt: timestampFromDate(verifiedAt) } : {}),
    ...(rotatedAt ? { rotatedAt: timestampFromDate(rotatedAt) } : {}),
    ...(callbacksInterruptedAt ? { callbacksInterruptedAt: timestampFromDate(callbacksInterruptedAt) } : {}),
    ...(fewCallsAt ? { fewCallsAt: timestampFromDate(fewCallsAt) } : {}),
  });
}

export function toUnknownMoney(row: ShownMoney): UnknownMoney {
  const { accountId, endToEndId, txid, amountMinor, receivedAt, settledAt, settledBy, settlementNote } = row;
  return create(UnknownMoneySchema, {
    accountId,
    endToEndId,
    amount: amountMinor,
    receivedAt: timestampFromDate(receivedAt),
    ...(txid == null ? {} : { txid }),
    ...(settledAt ? { settledAt: timestampFromDate(settledAt) } : {}),
    ...(settledBy == null ? {} : { settledBy }),
    ...(settlementNote == null ? {} : { note: settlementNote }),
  });
}
