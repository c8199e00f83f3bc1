import { alteringProxy, type Passing } from "../support/altering-proxy.ts";
import type { CardNumbers } from "./canary-cards.ts";

/** The fields of answers that are free texts at Asaas or Pagar.me, or parts of a card. */
const TEXTS: ReadonlySet<string> = new Set([
  "acquirer_auth_code",
  "acquirer_message",
  "acquirer_name",
  "creditCardNumber",
  "description",
  "holder_name",
  "last_four_digits",
  "message",
  "name",
  "number",
  "provider_name",
  "statement_descriptor",
]);

/**
 * A front of a provider that writes numbers of cards into what it answers: into its free texts, into the codes of its
 * refusals and of its issuers' declines, and into fields that no document has.
 */
export async function frontWithNumbers(
  name: string,
  baseUrl: string,
  canaries: CardNumbers,
): Promise<{ origin: string; fields: () => string[]; close: () => Promise<void> }> {
  const numbers = new Map<string, string>();
  const number = (field: string): string => {
    const made = numbers.get(field) ?? canaries.card(`${name}'s ${field}`);
    numbers.set(field, made);
    return made;
  };
  const written = (field: string, value: unknown): unknown => {
    if (TEXTS.has(field)) return `${typeof value === "string" ? value : ""} ${number(field)}`;
    if (field === "reason" && typeof value === "string") return `${value}_${number(field)}`;
    // "00" is no refusal.
    if (field === "acquirer_return_code" && value !== null && value !== "00") return number(field);
    if (field === "status" && value === "with_error") return number("transaction's status");
    return value;
  };
  const spoken = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(spoken);
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(([field, one]) => [field, spoken(written(field, one))] as const);
    const isError = "code" in value && "description" in value && Object.keys(value).length === 2;
    return {
      ...Object.fromEntries(fields),
      ...(isError ? { code: number("error code") } : {}),
      card_number: number("unknown field"),
      pan: Number(number("unknown number")),
    };
  };
  const alter = (answer: Passing): Passing => {
    if (answer.headers["content-type"]?.includes("json") !== true) return answer;
    const body = spoken(JSON.parse(answer.text)) as object;
    const refusal = answer.status < 400 ? {} : { error: number("error") };
    return { ...answer, text: JSON.stringify({ ...body, ...refusal }) };
  };
  const { origin } = new URL(baseUrl);
  const { baseUrl: front, close } = await alteringProxy(origin, alter);
  return {
    origin: front,
    fields: () => [...numbers.keys()],
    close: async () => await Promise.resolve(close()),
  };
}
