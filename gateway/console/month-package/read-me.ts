import { dayText, monthText, WITH_YEAR } from "../../../contract/date-text.ts";
import { daysText } from "../../../contract/day.ts";
import type { BankAccount } from "../../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import type { Language } from "../../pages/language.ts";
import { messagesIn } from "./messages.ts";
import type { Sheet } from "./tables.ts";

/** What a package does not have. */
export interface Missing {
  readonly unsealed: string[];
  /** Days that are not even or explained. */
  readonly openDays: string[];
  /** Days with more differences than the package has. */
  readonly differences: { readonly day: string; readonly count: number }[];
  /** Differences with more lines than the package has, by their number on their day. */
  readonly lines: { readonly day: string; readonly number: number; readonly count: number }[];
  /** Tables that are not in the workbook. */
  readonly leftOut: Sheet[];
}

interface Facts {
  readonly month: Temporal.PlainYearMonth;
  readonly tenantId: string;
  readonly mode: string;
  readonly language: Language;
  readonly accountName: (id: string) => string;
  readonly accountIds: readonly string[];
  readonly bankAccounts: readonly BankAccount[];
  readonly missing: Missing;
}

/** Returns README.txt: what each file is, and what is missing. */
export function readMe(facts: Facts): string {
  const { month, tenantId, mode, language, accountName, accountIds, bankAccounts, missing } = facts;
  const t = messagesIn(language);
  const files: (readonly [name: string, text: string])[] = [
    ["month.csv", t("file_month")],
    ["differences.csv", t("file_differences")],
    ["decisions.csv", t("file_decisions")],
    ...accountIds.flatMap((id) => {
      const name = nameWith(accountName(id), id);
      return [
        [`statement/${id}.csv`, t("file_statement", { name })],
        [`books/${id}.csv`, t("file_books", { name })],
      ] as const;
    }),
    ...bankAccounts.map(
      ({ id, name }) => [`bank/${id}.csv`, t("file_bank", { name: nameWith(name, id) })] as const,
    ),
    ["imports.csv", t("file_imports")],
    ["month.xlsx", t("file_workbook")],
    ...(missing.unsealed.length < month.daysInMonth
      ? [[`seals/${month.toString()}-DD.json`, t("file_seal")] as const]
      : []),
    ["SHA256SUMS", t("file_sums")],
  ];
  const lacks = missingTexts(facts);
  return [
    t("title", { month: monthText(language, month.toPlainDate({ day: 1 })) }),
    t("of", { tenant: tenantId, mode }),
    "",
    t("units"),
    "",
    `${t("files")}:`,
    ...files.map(([name, text]) => `- ${name}: ${text}`),
    "",
    `${t("missing")}:`,
    ...(lacks.length === 0 ? [t("none_missing")] : lacks).map((text) => `- ${text}`),
    "",
  ].join("\r\n");
}

function missingTexts({ language, missing }: Facts): string[] {
  const t = messagesIn(language);
  const { unsealed, openDays, differences, lines, leftOut } = missing;
  // The file is read in other years too, and stays the same: its days have their year.
  const format = (day: string): string => dayText(language, day, WITH_YEAR);
  return [
    ...(openDays.length > 0 ? [t("open_days", { days: daysText(openDays, format) })] : []),
    ...(unsealed.length > 0 ? [t("unsealed", { days: daysText(unsealed, format) })] : []),
    ...differences.map((day) => t("too_many_differences", { ...day, day: format(day.day) })),
    ...lines.map((difference) => t("too_many_lines", { ...difference, day: format(difference.day) })),
    ...(leftOut.length > 0
      ? [t("left_out", { sheets: leftOut.map((sheet) => t(`sheet_${sheet}`)).join(", ") })]
      : []),
  ];
}

/** A name may have anything, and is on one line. */
function nameWith(name: string, id: string): string {
  return name === id ? id : `${name.replaceAll(/\p{Cc}/gu, " ")} (${id})`;
}
