import { reaisText } from "../provider/json.ts";
import { escaped, page, redirect } from "../provider/page.ts";
import type { MadeAnswer } from "../provider/server.ts";
import { countMaxOf } from "./cards.ts";
import { payCheckout } from "./checkouts.ts";
import type { AsaasDeps } from "./deps.ts";
import { CARD_FIELDS, cardGiven } from "./invoice-page.ts";
import { problemOf } from "./problem.ts";
import type { Account, Checkout } from "./state.ts";

/** Returns the page of a checkout, where the payer picks the number of installments. */
export function checkoutPage(account: Account, checkout: Checkout, said = ""): MadeAnswer {
  if (checkout.status === "EXPIRED") return redirect(checkout.urls.expired);
  if (checkout.status === "PAID") return page("Pagamento confirmado", "<p>Este checkout já foi pago.</p>");
  if (checkout.status === "CANCELED")
    return page("Checkout cancelado", "<p>Ele não pode mais ser pago.</p>", 410);
  const { valueMinor, countMax, urls } = checkout;
  const options = Array.from(
    { length: countMax },
    (_, index) => `<option value="${index + 1}">${index + 1}x</option>`,
  );
  return page(
    `Checkout de ${account.name}`,
    `${said === "" ? "" : `<p role="alert"><strong>${escaped(said)}</strong></p>`}
<p><strong data-total="${valueMinor}">R$ ${reaisText(valueMinor).replace(".", ",")}</strong></p>
<form method="post">
<label for="count">Parcelas</label>
<select id="count" name="count">${options.join("")}</select>${CARD_FIELDS}</form>
<p><a href="${escaped(urls.cancel)}">Desistir e voltar para a loja</a></p>`,
  );
}

/** Answers the page's form. A checkout has no risk analysis and reserves nothing. */
export function payCheckoutPage(
  account: Account,
  checkout: Checkout,
  form: URLSearchParams,
  deps: AsaasDeps,
): MadeAnswer {
  if (checkout.status !== "ACTIVE") return checkoutPage(account, checkout);
  const count = Number(form.get("count") ?? "1");
  if (!Number.isInteger(count) || count < 1 || count > checkout.countMax) return problemOf(400).answer();
  const { outcome, brand, last4 } = cardGiven(form);
  if (count > countMaxOf(brand))
    return checkoutPage(account, checkout, "Este cartão não aceita tantas parcelas.");
  if (outcome === "declined") return checkoutPage(account, checkout, "Transação não autorizada.");
  payCheckout(account, checkout, { count, brand, last4 }, deps);
  return redirect(checkout.urls.success);
}
