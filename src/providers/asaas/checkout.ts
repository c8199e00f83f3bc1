import type { CardRequest, CardState } from "../card-port.ts";
import { ProviderFault } from "../provider-fault.ts";
import type { AsaasClient } from "./client.ts";
import { reais, textOf } from "./json.ts";
import { idOf } from "./messages.ts";

const NAME_MAX = 30;
const DESCRIPTION_MAX = 150;
const MINUTES_MIN = 10;
const MINUTE_MS = 60_000;
// An item has a picture. This one is a transparent point.
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=";

/**
 * Opens a checkout. One whose answer is lost takes no money, as no payer knows its address, and ends by itself. Throws
 * ProviderFault: "misconfigured" if the account does not have the host of the payers' pages.
 */
export async function openCheckout(
  client: AsaasClient,
  request: CardRequest,
  customer: string,
): Promise<CardState> {
  const { reference, installments, amountMinor, merchantName, returnUrl, expiresAt } = request;
  const description = request.description ?? merchantName;
  const minutes = Math.ceil((expiresAt.getTime() - client.now().getTime()) / MINUTE_MS);
  const body = {
    billingTypes: ["CREDIT_CARD"],
    ...(installments === 1
      ? { chargeTypes: ["DETACHED"] }
      : { chargeTypes: ["INSTALLMENT"], installment: { maxInstallmentCount: installments } }),
    minutesToExpire: Math.max(minutes, MINUTES_MIN),
    externalReference: reference,
    customer,
    callback: { successUrl: returnUrl, cancelUrl: returnUrl, expiredUrl: returnUrl },
    items: [
      {
        name: shortened(description, NAME_MAX),
        description: shortened(description, DESCRIPTION_MAX),
        imageBase64: PICTURE,
        quantity: 1,
        value: reais(amountMinor),
      },
    ],
  };
  const made = await client.call("POST", "/checkouts", { body }).catch((error: unknown) => {
    if (!(error instanceof ProviderFault) || error.code !== "invalid_callback") throw error;
    const message = "the account does not have the host of the payers' pages";
    throw new ProviderFault("misconfigured", message, { code: error.code });
  });
  if (!made) throw new ProviderFault("unknown", "a new checkout was answered with 404");
  return {
    progress: { status: "challenge", url: textOf(made, "link") },
    chargeId: idOf(made, "id"),
    receipts: [],
    returns: [],
  };
}

/** Cancels a checkout. One that is not there, or is not open any more, is left to the next look. */
export async function cancelCheckout(client: AsaasClient, id: string): Promise<void> {
  await client.call("POST", `/checkouts/${encodeURIComponent(id)}/cancel`).catch((error: unknown) => {
    if (!(error instanceof ProviderFault) || error.kind !== "refused") throw error;
  });
}

function shortened(text: string, charactersMax: number): string {
  return Array.from(text).slice(0, charactersMax).join("");
}
