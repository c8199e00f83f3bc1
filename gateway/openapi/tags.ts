import type { JsonObject } from "@bufbuild/protobuf";

interface Tag {
  readonly name: string;
  /** For merchants. */
  readonly description: string;
  /** Addresses, and what they begin with. */
  readonly paths: readonly string[];
}

/** What a merchant thinks in, in the order of the document. Of two beginnings of an address the longer one counts. */
const TAGS: readonly Tag[] = [
  {
    name: "Quotes",
    description: "What a payment will cost and bring. Accept a quote, and you get a link at its price.",
    paths: ["/v1/quotes", "/.well-known/jwks.json"],
  },
  {
    name: "Links",
    description: "Pages where payers pay you. Make one, send its checkout_url, change or close it.",
    paths: ["/v1/payment_links", "/v1/quotes/{id}/accept"],
  },
  {
    name: "Payments",
    description: "What payers paid you, by link, reference or days, to hold against your orders.",
    paths: ["/v1/payments", "/v1/payment_links/{id}/payments", "/v1/payment_intents"],
  },
  {
    name: "Refunds and disputes",
    description:
      "Money that goes back: refunds that you make, and payments that payers contest at their bank.",
    paths: ["/v1/refunds", "/v1/payments/{id}/refunds", "/v1/disputes"],
  },
  {
    name: "Balance and closes",
    description:
      "What is yours now and what moved it, what card providers owe you and paid out, and the days that are closed.",
    paths: ["/v1/balance", "/v1/balance_transactions", "/v1/payouts", "/v1/receivables", "/v1/closes"],
  },
  {
    name: "Webhooks",
    description:
      "Where you want to be told of what happens, what was sent there, and how to have it sent again.",
    paths: [
      "/v1/webhook_endpoints",
      "/v1/webhook_deliveries",
      "/v1/webhook_resends",
      "/v1/events/{id}/resend",
    ],
  },
  {
    name: "Events",
    description: "What happened, as webhooks carried it: read here what you did not receive.",
    paths: ["/v1/events"],
  },
  {
    name: "Pictures",
    description: "Pictures of products for your links' pages.",
    paths: ["/v1/media"],
  },
  {
    name: "Sandbox",
    description: "Playing the payer in test mode.",
    paths: ["/v1/payment_links/{id}/simulate_payment"],
  },
  {
    name: "Account",
    description: "Whose the API key is, what it may do, and how many requests it has left.",
    paths: ["/v1/key"],
  },
  {
    name: "Service",
    description: "Whether the service runs.",
    paths: ["/healthz"],
  },
];

/** The tags of the document. */
export const TAG_OBJECTS: readonly JsonObject[] = TAGS.map(({ name, description }) => ({
  name,
  description,
}));

/** Returns the tag of an address, given as the document has it. Throws Error if no tag is for it. */
export function tagOf(path: string): string {
  const fitting = TAGS.flatMap(({ name, paths }) =>
    paths.filter((start) => isWithin(path, start)).map((start) => ({ name, length: start.length })),
  );
  const [longest] = fitting.toSorted((a, b) => b.length - a.length);
  if (!longest) throw new Error(`${path} has no tag: gateway/openapi/tags.ts names those of all addresses`);
  return longest.name;
}

function isWithin(path: string, start: string): boolean {
  return path === start || path.startsWith(`${start}/`);
}
