import { escaped, page, redirect } from "../provider/page.ts";
import { reaisText } from "../provider/json.ts";
import type { MadeAnswer } from "../provider/server.ts";
import { brandOf, countMaxOf, isRefused } from "./cards.ts";
import type { AsaasDeps } from "./deps.ts";
import { decline, payByCard, payByPix, wholeOf } from "./happenings.ts";
import { isOpen } from "./removal.ts";
import type { Account, Payment } from "./state.ts";

/** What the page shows of a payment that cannot be paid now. */
const TITLES: Readonly<Partial<Record<Payment["status"], string>>> = {
  CONFIRMED: "Pagamento confirmado",
  RECEIVED: "Pagamento confirmado",
  AUTHORIZED: "Pagamento autorizado",
  AWAITING_RISK_ANALYSIS: "Pagamento em análise",
  REFUNDED: "Pagamento estornado",
  REFUND_IN_PROGRESS: "Estorno em andamento",
};

/** Returns the invoice page: of a whole plan, whichever of its payments it is of. */
export function invoicePage(account: Account, payment: Payment, said = ""): MadeAnswer {
  if (payment.isDeleted)
    return page("Cobrança removida", "<p>Esta cobrança não pode mais ser paga.</p>", 410);
  if (!isOpen(payment)) return page(TITLES[payment.status] ?? "Cobrança encerrada", wayBack(payment));
  const all = wholeOf(payment);
  const totalMinor = all.reduce((sum, { valueMinor }) => sum + valueMinor, 0n);
  const terms = all.length === 1 ? "à vista" : `em ${all.length} parcelas`;
  return page(
    `Fatura de ${account.name}`,
    `${said === "" ? "" : `<p role="alert"><strong>${escaped(said)}</strong></p>`}
<p>${escaped(payment.description ?? "Cobrança")}</p>
<p><strong data-total="${totalMinor}">R$ ${reaisText(totalMinor).replace(".", ",")}</strong> ${terms}</p>
<form method="post">${payment.billingType === "PIX" ? PIX : CARD_FIELDS}</form>`,
  );
}

const PIX = `<button name="outcome" value="paid">Pagar com Pix</button>`;

/** Numbers are typed here alone, at the provider. Without one the buttons choose. */
export const CARD_FIELDS = `
<label for="holder">Nome no cartão</label>
<input id="holder" name="holder" autocomplete="cc-name" />
<label for="number">Número do cartão</label>
<input id="number" name="number" inputmode="numeric" autocomplete="cc-number" />
<label for="expiry">Validade</label>
<input id="expiry" name="expiry" autocomplete="cc-exp" />
<label for="ccv">Código de segurança</label>
<input id="ccv" name="ccv" inputmode="numeric" autocomplete="cc-csc" />
<button name="outcome" value="paid">Pagar</button>
<button name="outcome" value="declined">Pagar com um cartão que é recusado</button>
<button name="outcome" value="review">Pagar com um cartão que vai para análise</button>
<button name="outcome" value="authorized">Só autorizar</button>`;

const STATUSES = { paid: "CONFIRMED", review: "AWAITING_RISK_ANALYSIS", authorized: "AUTHORIZED" } as const;

/** Answers the page's form. */
export function payInvoice(
  account: Account,
  payment: Payment,
  form: URLSearchParams,
  deps: AsaasDeps,
): MadeAnswer {
  if (!isOpen(payment)) return invoicePage(account, payment);
  if (payment.billingType === "PIX") {
    payByPix(account, payment, deps);
    return paid(account, payment);
  }
  const { outcome, brand, last4 } = cardGiven(form);
  if (wholeOf(payment).length > countMaxOf(brand)) {
    return invoicePage(account, payment, "Este cartão não aceita tantas parcelas.");
  }
  if (outcome === "declined") {
    decline(account, payment, deps);
    return invoicePage(account, payment, "Transação não autorizada. Tente de novo ou use outro cartão.");
  }
  payByCard(account, payment, { brand, last4, status: STATUSES[outcome] }, deps);
  return outcome === "paid" ? paid(account, payment) : invoicePage(account, payment);
}

/** Returns what the form says of a card; of its number only the last four digits. */
export function cardGiven(form: URLSearchParams): {
  readonly outcome: "paid" | "declined" | "review" | "authorized";
  readonly brand: ReturnType<typeof brandOf>;
  readonly last4: string;
} {
  const number = form.get("number")?.replaceAll(/\D/g, "") || "4444444444444444";
  const asked = form.get("outcome");
  const chosen = asked === "declined" || asked === "review" || asked === "authorized" ? asked : "paid";
  return {
    outcome: isRefused(number) ? "declined" : chosen,
    brand: brandOf(number),
    last4: number.slice(-4),
  };
}

function paid(account: Account, payment: Payment): MadeAnswer {
  const { back } = payment;
  return back?.isAutomatic === true ? redirect(back.successUrl) : invoicePage(account, payment);
}

function wayBack({ back }: Payment): string {
  if (!back) return "<p>Você pode fechar esta página.</p>";
  return `<p><a href="${escaped(back.successUrl)}">Voltar para a loja</a></p>`;
}
