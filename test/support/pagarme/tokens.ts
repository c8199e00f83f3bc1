import { fieldsOf, textOf, wholeOf, type Fields } from "../provider/json.ts";
import { brandOf, isCardNumber, outcomeOf } from "./cards.ts";
import type { PagarmeDeps } from "./deps.ts";
import { timeText } from "./messages.ts";
import { invalid } from "./problem.ts";
import type { Account, Token } from "./state.ts";

const LIFE_MS = 60_000;

/** Takes a card from a browser and keeps what may be kept of it. */
export function createToken(account: Account, body: Fields, { ids, clock }: PagarmeDeps): Token {
  const given = fieldsOf(body["card"]);
  if (body["type"] !== "card" || !given) throw invalid("type", "The type must be card.");
  const number = (textOf(given["number"]) ?? "").replaceAll(" ", "");
  if (!isCardNumber(number)) throw invalid("card.number", "The number is not a card's.");
  const holderName = textOf(given["holder_name"])?.trim() ?? "";
  if (holderName === "" || holderName.length > 64)
    throw invalid("card.holder_name", "The name is missing or long.");
  const expMonth = numberOf(given["exp_month"]);
  const expYear = (numberOf(given["exp_year"]) % 100) + 2000;
  if (!(expMonth >= 1 && expMonth <= 12)) throw invalid("card.exp_month", "The month is from 1 to 12.");
  const end = Date.UTC(expYear, expMonth, 1);
  if (!(end > clock.nowMs())) throw invalid("card", "The card has expired.");
  const cvv = textOf(given["cvv"]) ?? "";
  if (!/^\d{3,4}$/.test(cvv)) throw invalid("card.cvv", "The security code has three or four digits.");
  const createdAt = clock.now();
  const token: Token = {
    id: ids.form("token", `token_${ids.token(16)}`),
    card: {
      id: `card_${ids.token(16)}`,
      brand: brandOf(number),
      first6: number.slice(0, 6),
      last4: number.slice(-4),
      holderName,
      expMonth,
      expYear,
    },
    outcome: outcomeOf(number, cvv),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LIFE_MS),
    isUsed: false,
  };
  account.tokens.set(token.id, token);
  return token;
}

/** Takes a token, which is of use once. */
export function useToken(account: Account, id: string, field: string, { clock }: PagarmeDeps): Token {
  const token = account.tokens.get(id);
  if (!token || token.isUsed || clock.now() >= token.expiresAt)
    throw invalid(field, "The token is not known.");
  token.isUsed = true;
  return token;
}

export function tokenBody({ id, card, createdAt, expiresAt }: Token): Fields {
  return {
    id,
    type: "card",
    created_at: timeText(createdAt),
    expires_at: timeText(expiresAt),
    card: {
      first_six_digits: card.first6,
      last_four_digits: card.last4,
      holder_name: card.holderName,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      brand: card.brand,
      type: "credit",
    },
  };
}

/** Browsers send text from forms, programs send numbers. */
function numberOf(value: unknown): number {
  return wholeOf(value) ?? Number(textOf(value) ?? Number.NaN);
}
