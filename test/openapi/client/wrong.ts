/** What the generated types must refuse: one mistake on each marked line. */
import createClient from "openapi-fetch";
import type { paths } from "../../../.cache/openapi-client/api.d.ts";

const client = createClient<paths>({ baseUrl: "" });
const header = { "Idempotency-Key": "1" };

await client.POST("/v1/quotes", {
  params: { header },
  body: { amount: 1, currency: "BRL", target_currency: "USD" }, // wrong: derived, never accepted
});
await client.POST("/v1/quotes", { params: { header }, body: { currency: "EUR" } }); // wrong: no such currency
await client.POST("/v1/payment_links", { body: { amount: 1, currency: "BRL" } }); // wrong: no Idempotency-Key
await client.GET("/v1/payments", { params: { query: { status: "paid" } } }); // wrong: no filter by status
const { data } = await client.GET("/v1/payments/{id}", { params: { path: { id: "pay_1" } } });
export const coverage = data?.fx?.coverage; // wrong: not exposed
