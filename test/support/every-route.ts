import { getOption, type DescField } from "@bufbuild/protobuf";
import { isId, type IdPrefix } from "../../contract/ids.ts";
import { publicFields } from "../../contract/public-fields.ts";
import { PUBLIC_SERVICES } from "../../contract/public-services.ts";
import { field as fieldRules, Idempotency } from "../../gen/paylink/options/v1/options_pb.ts";
import { routesOf, type Route } from "../../gateway/transcode/route.ts";
import type { Answer, Api, CallOptions } from "./api.ts";
import { openApi } from "./openapi.ts";

/** Every route that needs a key, from the descriptors. */
export const ROUTES: readonly Route[] = routesOf(PUBLIC_SERVICES).filter(({ isPublic }) => !isPublic);

/** What a tenant has in test mode, by the prefix of its id: enough for each route to succeed. */
export type Belongings = Readonly<Partial<Record<IdPrefix, string>>>;

const SALE = { amount: 15_990, currency: "BRL" };
const PREFIX = /^([a-z]+)_/;

export function nameOf({ verb, path }: Route): string {
  return `${verb} ${path.replaceAll(/:(\w+)/g, "{$1}")}`;
}

export function isKeyRequired({ idempotency }: Route): boolean {
  return idempotency === Idempotency.REQUIRED || idempotency === Idempotency.REQUIRED_OF_KEYS;
}

/** A day that a tenant of these tests has closed. */
export const CLOSED_DAY = "2026-01-01";

/** The fields of a route's path that are ids, with their prefixes. */
export function idsOf({ path, method }: Route): { name: string; prefix: IdPrefix }[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  return names
    .filter((name) => name !== "day")
    .map((name) => {
      const field = method.input.fields.find((each) => each.name === name);
      const prefix = field ? getOption(field, fieldRules).idPrefix : "";
      if (prefix === "") throw new Error(`${path}: ${name} has no id_prefix`);
      return { name, prefix: prefix as IdPrefix };
    });
}

/** The fields of a route's body or query. */
export function fieldsOf(route: Route): DescField[] {
  const inPath = new Set(["day", ...idsOf(route).map(({ name }) => name)]);
  return publicFields(route.method.input).filter(({ name }) => !inPath.has(name));
}

/** The request of a route with a tenant's belongings in its path and body. Its body is the document's example. */
function urlOf(route: Route, has: Belongings): string {
  return idsOf(route).reduce(
    (path, { name, prefix }) => path.replace(`:${name}`, known(has, prefix)),
    route.path.replace(":day", CLOSED_DAY),
  );
}

function bodyOf({ path, verb }: Route, has: Belongings): Record<string, unknown> | undefined {
  const operation = openApi.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[verb.toLowerCase()];
  const example = operation?.requestBody?.content["application/json"].example;
  return example === undefined ? undefined : (replaced(example, has) as Record<string, unknown>);
}

/** Puts a tenant's own ids in place of the examples'. */
function replaced(value: unknown, has: Belongings): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, has));
  if (typeof value === "string") {
    const prefix = PREFIX.exec(value)?.[1] as IdPrefix | undefined;
    return prefix && isId(prefix, value) ? known(has, prefix) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, has)]));
}

function known(has: Belongings, prefix: IdPrefix): string {
  const id = has[prefix];
  if (id === undefined) throw new Error(`no ${prefix} is made for the tests of all routes`);
  return id;
}

export async function ask(
  api: Api,
  route: Route,
  has: Belongings,
  options: CallOptions & { readonly body?: unknown; readonly query?: string } = {},
): Promise<Answer> {
  const { query = "", body = bodyOf(route, has) ?? "", ...call } = options;
  const isIn = (field: string) => route.method.input.fields.some(({ name }) => name === field);
  let needed = query;
  if (query === "" && isIn("from")) needed = "?from=2020-01-01&to=2099-12-31";
  if (query === "" && route.path === "/v1/receivables") needed = `?payment_id=${known(has, "pay")}`;
  const url = `${urlOf(route, has)}${needed}`;
  if (route.verb === "DELETE") return await api.delete(url, call);
  return route.verb === "GET" ? await api.get(url, call.headers) : await api.post(url, body, call);
}

/** What a route needs to have been called, to change something: without it, all is as it wishes already. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  ReactivatePaymentLink: ["CancelPaymentLink"],
  EnableWebhookEndpoint: ["DisableWebhookEndpoint"],
  ResendFailedEvents: ["DisableWebhookEndpoint", "SimulatePayment", "EnableWebhookEndpoint"],
};

export async function prepare(api: Api, { method }: Route, has: Belongings): Promise<void> {
  for (const name of BEFORE[method.name] ?? [])
    for (const route of ROUTES.filter((each) => each.method.name === name)) await ask(api, route, has);
}

/** Makes one of everything that routes are about. */
export async function newBelongings(api: Api): Promise<Belongings> {
  const made = async (url: string, body: object): Promise<string> => {
    const answer = await api.post(url, body);
    if (answer.status >= 300) throw new Error(`${url}: ${answer.text}`);
    return answer.body.id;
  };
  const we = await made("/v1/webhook_endpoints", { url: "https://shop.example.com/hook" });
  const paid = await made("/v1/payment_links", { ...SALE, campaign: true });
  const pay = await made(`/v1/payment_links/${paid}/simulate_payment`, { outcome: "succeeded" });
  const events = await api.get(`/v1/events?object_id=${pay}`);
  const deliveries = await api.get(`/v1/webhook_deliveries?endpoint_id=${we}`);
  const media = ROUTES.find(({ path }) => path === "/v1/media") as Route;
  return {
    we,
    pay,
    ref: await made(`/v1/payments/${pay}/refunds`, { amount: 1 }),
    evt: events.body.data[0].id,
    dlv: deliveries.body.data[0].id,
    pl: await made("/v1/payment_links", SALE),
    pi: await made("/v1/payment_intents", SALE),
    qt: await made("/v1/quotes", { ...SALE, payment_method: "pix" }),
    med: await made("/v1/media", bodyOf(media, {}) ?? {}),
  };
}
