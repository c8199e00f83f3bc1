/**
 * What a customer writes against the generated types: from a quote to the day's end.
 * Called with the service's address and a test key; prints what it saw as JSON.
 */
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths } from "../../../.cache/openapi-client/api.d.ts";

type Quote = components["schemas"]["Quote"];

const [baseUrl = "", key = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
const once = (): { "Idempotency-Key": string } => ({ "Idempotency-Key": randomUUID() });

/** The answer's data; throws the code of an error. */
function taken<T>({ data, error }: { data?: T; error?: { error: { code: string } } }): T {
  if (data === undefined) throw new Error(error?.error.code ?? "no answer");
  return data;
}

const quoted = taken(
  await client.POST("/v1/quotes", {
    params: { header: once() },
    body: { amount: 10_000, currency: "USD", payment_method: "pix" },
  }),
);
if ("scenarios" in quoted) throw new Error("a method was named");
const quote: Quote = quoted;

const link = taken(
  await client.POST("/v1/quotes/{id}/accept", {
    params: { path: { id: quote.id }, header: once() },
    body: { name: "Running shoes", reference: "order-1042" },
  }),
);

const simulated = taken(
  await client.POST("/v1/payment_links/{id}/simulate_payment", {
    params: { path: { id: link.id } },
    body: { outcome: "succeeded" },
  }),
);

const payment = taken(await client.GET("/v1/payments/{id}", { params: { path: { id: simulated.id } } }));
const status: "pending" | "processing" | "succeeded" | "failed" | "expired" = payment.status;
const rate: number | undefined = payment.fx?.rate;

const day = new Date().toLocaleDateString("sv-SE", { timeZone: "America/Sao_Paulo" });
const page = taken(
  await client.GET("/v1/payments", { params: { query: { from: day, to: day, limit: 100 } } }),
);

const again = await client.POST("/v1/quotes/{id}/accept", {
  params: { path: { id: quote.id }, header: once() },
  body: { name: "Running shoes" },
});

process.stdout.write(
  JSON.stringify({ quote, link, payment, status, rate, page, refused: again.error?.error.code }),
);
