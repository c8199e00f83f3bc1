/**
 * What HTTP alone costs: Fastify, a look at the key, the body's schema, and answers that are there already, with
 * neither a database nor a log. ANSWERS is the JSON text of an object with an answer for each route.
 */
import { hash } from "node:crypto";
import fastify from "fastify";

/** An answer of the service for each route: a new link, a payment, and pages by their limit. */
export interface Answers {
  readonly link: string;
  readonly payment: string;
  readonly pages: Readonly<Record<string, string>>;
}

const { ANSWERS = "{}", API_KEY = "", PORT } = process.env;
const { link, payment, pages } = JSON.parse(ANSWERS) as Answers;
const keys = new Set([hash("sha256", API_KEY, "hex")]);
const app = fastify({ logger: false, bodyLimit: 65_536 });
const text = (maxLength: number): object => ({ type: "string", maxLength });

app.addHook("onRequest", async (request, reply) => {
  const key = request.headers.authorization?.slice("Bearer ".length) ?? "";
  if (!keys.has(hash("sha256", key, "hex")))
    await reply.code(401).send({ error: { code: "invalid_api_key" } });
});

const schema = {
  body: {
    type: "object",
    additionalProperties: false,
    required: ["amount", "currency"],
    properties: {
      amount: { type: "integer", minimum: 1, maximum: 999_999_999_999 },
      currency: { enum: ["BRL", "USD"] },
      reference: text(255),
      description: text(500),
      product_ref: text(255),
      metadata: { type: "object", maxProperties: 20 },
    },
  },
};

app.post("/v1/payment_links", { schema }, (_request, reply) =>
  reply.code(201).type("application/json; charset=utf-8").send(link),
);
app.get("/v1/payments/:id", (_request, reply) => reply.type("application/json; charset=utf-8").send(payment));
app.get("/v1/payments", (request, reply) => {
  const { limit = "" } = request.query as Record<string, string>;
  return reply.type("application/json; charset=utf-8").send(pages[limit] ?? '{"data":[]}');
});

await app.listen({ host: "127.0.0.1", port: Number(PORT) });
