import type { CardRequest } from "../card-port.ts";
import type { PayerAddress, ProviderPayer } from "../ports.ts";

// The shortest of its contracts' limits.
const DESCRIPTOR_MAX = 13;
const DESCRIPTION_MAX = 256;
const NAME_MAX = 64;
const LINE_MAX = 256;
const CPF_DIGITS = 11;
const BRAZILIAN = /^\+55(\d{2})(\d{8,9})$/;

/** Returns the body that asks for an order: one item of the price, paid at once by the card of a token. */
export function orderOf(request: CardRequest): object {
  const { reference, amountMinor, description, merchantName, installments, token, payer } = request;
  // Whole centavos below 2^53, so that no digit is lost.
  const amount = Number(amountMinor);
  const descriptor = descriptorOf(merchantName);
  return {
    code: reference,
    closed: true,
    items: [
      {
        amount,
        quantity: 1,
        code: reference,
        description: shortened(description ?? merchantName, DESCRIPTION_MAX),
      },
    ],
    customer: customerOf(payer),
    payments: [
      {
        payment_method: "credit_card",
        amount,
        credit_card: {
          installments,
          operation_type: "auth_and_capture",
          card_token: token ?? "",
          ...(descriptor === "" ? {} : { statement_descriptor: descriptor }),
        },
      },
    ],
  };
}

function customerOf({ name = "", email = "", document = "", phone, address }: ProviderPayer): object {
  const isPerson = document.length === CPF_DIGITS;
  return {
    name: shortened(name, NAME_MAX),
    email,
    document,
    type: isPerson ? "individual" : "company",
    document_type: isPerson ? "CPF" : "CNPJ",
    ...phonesOf(phone),
    ...(address === undefined ? {} : { address: addressOf(address) }),
  };
}

/** The API has the area code apart, which a number of another country may not have: it is left out. */
function phonesOf(phone: string | undefined): object {
  const [, area, number] = BRAZILIAN.exec(phone ?? "") ?? [];
  if (area === undefined) return {};
  return { phones: { mobile_phone: { country_code: "55", area_code: area, number } } };
}

function addressOf({ number, street, district, complement, ...rest }: PayerAddress): object {
  const { postal_code: zipCode, city, state } = rest;
  return {
    line_1: shortened(`${number}, ${street}, ${district}`, LINE_MAX),
    ...(complement === "" ? {} : { line_2: shortened(complement, LINE_MAX) }),
    zip_code: zipCode,
    city,
    state,
    country: "BR",
  };
}

/** What a card's statement shows has no marks and no accents. */
function descriptorOf(merchantName: string): string {
  const plain = merchantName.normalize("NFD").replaceAll(/[^0-9A-Za-z ]/g, "");
  return shortened(plain.trim(), DESCRIPTOR_MAX).trim();
}

function shortened(text: string, max: number): string {
  return Array.from(text).slice(0, max).join("");
}
