import type { PaymentLinkRow } from "../links/entities.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { CardRequest, CardTerms } from "../providers/card-port.ts";
import type { PayerField, ProviderPayer } from "../providers/ports.ts";
import type { ChargeRow } from "./entities.ts";
import type { Payer } from "./payer-details.ts";
import { chargeRequest, payerOwner } from "./start-payment.ts";

export interface CardRequestDeps {
  readonly encryption: Encryption;
  /** Host of the payer's pages, without a trailing slash. */
  readonly checkoutBase: string;
}

/** What a card's request is made from. `token`: null with style "redirect". */
interface Asked {
  readonly charge: ChargeRow;
  readonly price: PriceValues;
  readonly link: PaymentLinkRow;
  readonly merchantName: string;
  readonly token: string | null;
}

/** Returns the request for a card provider, with the payer's details that its account needs and no others. */
export async function cardRequest(
  { encryption, checkoutBase }: CardRequestDeps,
  { payerFields }: CardTerms,
  { charge, price, link, merchantName, token }: Asked,
): Promise<CardRequest> {
  const payer = await givenPayer(encryption, charge, payerFields);
  return {
    ...chargeRequest(charge, price, link, merchantName),
    installments: price.installments,
    token,
    payer,
    returnUrl: `${checkoutBase}/pay/${link.id}/${charge.sessionId}`,
  };
}

/** Returns those of the payer's details that an account needs. */
export async function givenPayer(
  encryption: Encryption,
  { sealedPayer, paymentId }: ChargeRow,
  payerFields: readonly PayerField[],
): Promise<ProviderPayer> {
  if (payerFields.length === 0 || sealedPayer == null) return {};
  const given = JSON.parse(await encryption.decrypt(sealedPayer, payerOwner(paymentId))) as Payer;
  return Object.fromEntries(
    payerFields.flatMap((field) => (given[field] === undefined ? [] : [[field, given[field]]])),
  );
}
