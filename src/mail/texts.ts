import type { ProviderAccount } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { bankName } from "../../contract/bank-names.ts";
import { dayText, timeText, WITH_YEAR } from "../../contract/date-text.ts";
import { daysText } from "../../contract/day.ts";
import { differenceText } from "../../contract/first-difference.ts";
import { needMessagesIn } from "../../contract/need-messages.ts";
import type { Need } from "../../contract/needs.ts";
import type { Language } from "../../contract/messages.ts";
import type { SucceededPayment } from "../ledger/succeeded-payments.ts";
import { dateOf } from "../platform/time/timestamps.ts";
import { moneyText } from "../../contract/money-text.ts";
import type { Content } from "./mailer.ts";
import { messagesIn } from "./messages.ts";

const NAME_MAX = 100;

/** A one-time link that is sent. */
interface SentLink {
  readonly to: string;
  readonly language: Language;
  readonly url: string;
  readonly expiresAt: Date;
}

/** Returns the e-mail with an invitation, or with a link to new secrets that an owner asked for. */
export function linkMail(
  kind: "invitation" | "secrets",
  { to, language, url, expiresAt, tenantName }: SentLink & { readonly tenantName: string },
): Content {
  const t = messagesIn(language);
  const tenant = oneLine(tenantName);
  const once = t(`${kind}_once`, { time: timeText(language, expiresAt.getTime()) });
  return {
    to,
    subject: t(`${kind}_subject`, { tenant }),
    text: paragraphs(t(`${kind}_text`, { tenant }), url, once),
  };
}

/** Returns the e-mail with the link to a new password that a user asked for. */
export function resetMail({
  to,
  language,
  url,
  expiresAt,
  tenantNames,
}: SentLink & { readonly tenantNames: readonly string[] }): Content {
  const t = messagesIn(language);
  const tenants = tenantNames.map(oneLine).join(", ");
  const once = t("reset_once", { time: timeText(language, expiresAt.getTime()) });
  return { to, subject: t("reset_subject"), text: paragraphs(t("reset_text", { tenants }), url, once) };
}

/** Returns the e-mail of what needs a person: kinds, counts and pages, and nothing of a payer. */
export function digestMail({
  to,
  language,
  tenantName,
  needs,
  accounts,
  consoleUrl,
}: {
  readonly to: string;
  readonly language: Language;
  readonly tenantName: string;
  readonly needs: readonly Need[];
  /** The tenant's accounts at providers. */
  readonly accounts: readonly ProviderAccount[];
  /** The address of the console's first page of live mode. */
  readonly consoleUrl: string;
}): Content {
  const t = messagesIn(language);
  const tenant = oneLine(tenantName);
  const lines = needs.map((need) => {
    const urgent = need.isUrgent ? `${t("urgent")}: ` : "";
    return `- ${urgent}${needText(language, need, accounts)}\n  ${consoleUrl}${need.path}`;
  });
  return {
    to,
    subject: t("digest_subject", { tenant, count: needs.length }),
    text: paragraphs(
      t("digest_text", { tenant }),
      lines.join("\n"),
      `${t("digest_home")}\n${consoleUrl}`,
      `${t("digest_off")}\n${consoleUrl}/account`,
    ),
  };
}

/** Returns the e-mail of a payment that succeeded: what it was for and how much, and nothing of its payer. */
export function paymentMail({
  to,
  language,
  tenantName,
  payment: { id, amountMinor, currency, method, product, succeededAt },
  consoleUrl,
}: {
  readonly to: string;
  readonly language: Language;
  readonly tenantName: string;
  readonly payment: SucceededPayment;
  /** The address of the console's first page of live mode. */
  readonly consoleUrl: string;
}): Content {
  const t = messagesIn(language);
  const amount = moneyText(language, amountMinor, currency);
  const time = timeText(language, succeededAt.getTime());
  const what = oneLine(product ?? "");
  return {
    to,
    subject: t(`payment_subject_${method}`, { amount }) + (what === "" ? "" : ` · ${what}`),
    text: paragraphs(
      t("payment_text", { tenant: oneLine(tenantName), amount, time }),
      ...(what === "" ? [] : [what]),
      `${consoleUrl}/payments/${id}`,
      `${t("payment_off")}\n${consoleUrl}/account`,
    ),
  };
}

/** Returns the e-mail with a receipt that its payer asked for: what was paid to whom, and where all of it is. */
export function receiptMail({
  to,
  language,
  merchantName,
  product,
  paymentId,
  amountMinor,
  currency,
  paidAt,
  url,
}: {
  readonly to: string;
  readonly language: Language;
  readonly merchantName: string;
  readonly product: string | undefined;
  readonly paymentId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly paidAt: Date;
  /** The address of the receipt. */
  readonly url: string;
}): Content {
  const t = messagesIn(language);
  const amount = moneyText(language, amountMinor, currency);
  const merchant = oneLine(merchantName);
  const what = oneLine(product ?? "");
  return {
    to,
    subject: t("receipt_subject", { amount, merchant }),
    text: paragraphs(
      t("receipt_text", { amount, merchant, time: timeText(language, paidAt.getTime(), WITH_YEAR) }),
      ...(what === "" ? [] : [what]),
      t("receipt_payment", { id: paymentId }),
      `${t("receipt_page")}\n${url}`,
      t("receipt_why"),
    ),
  };
}

/** An endpoint's address may hold a secret, in its path or query: the host says which one it is. */
function needText(
  language: Language,
  { key, account, endpoint, difference, at, day = "", days = [], count = 0 }: Need,
  accounts: readonly ProviderAccount[],
): string {
  const t = needMessagesIn(language);
  if (difference) {
    const names = difference.accountIds.map(
      (id) =>
        nameOf(
          language,
          accounts.find((one) => one.id === id),
        ) || id,
    );
    return t(key, { difference: differenceText(language, difference, names) });
  }
  if (endpoint) {
    const { failed, attempts } = endpoint;
    return t(key, {
      url: oneLine(new URL(endpoint.url).host),
      failed: String(failed),
      count: String(attempts),
    });
  }
  return t(key, {
    count,
    day: day && dayText(language, day),
    days: daysText(days, (one) => dayText(language, one)),
    name: nameOf(language, account),
    time: at ? timeText(language, dateOf(at).getTime()) : "",
  });
}

function nameOf(language: Language, account: ProviderAccount | undefined): string {
  return oneLine(
    account ? account.label || `${bankName(language, account.profile)} …${account.lastFour}` : "",
  );
}

/** A name that its owner chose stays one line, short, and moves no other text. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length <= NAME_MAX ? line : `${line.slice(0, NAME_MAX - 1).toWellFormed()}…`;
}

function paragraphs(...all: readonly string[]): string {
  return `${all.join("\n\n")}\n`;
}
