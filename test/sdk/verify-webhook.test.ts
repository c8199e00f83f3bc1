import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { createPaylink, verifyWebhook, WebhookVerificationError } from "@paylink/sdk";

const SECRET = `whsec_${Buffer.from("a secret of an endpoint").toString("base64")}`;
const EVENT = { id: "evt_1", type: "payment.succeeded" };
const body = JSON.stringify(EVENT);
const headers = signed(body);

function signed(text: string): Record<string, string> {
  const now = new Date();
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(SECRET).sign("evt_1", now, text),
  };
}

const entries = Object.entries(headers);

test.each<[string, Parameters<typeof verifyWebhook>[1]]>([
  [
    "in lists, as headersDistinct has them",
    Object.fromEntries(entries.map(([name, text]) => [name, [text]])),
  ],
  [
    "with two signatures in a list",
    { ...headers, "webhook-signature": ["v1,b3RoZXI=", headers["webhook-signature"] ?? ""] },
  ],
  ["with names in capitals", Object.fromEntries(entries.map(([name, text]) => [name.toUpperCase(), text]))],
  ["as Headers", new Headers(headers)],
  // The Headers of another library or realm.
  ["as a Map", new Map(entries)],
])("headers %s are read", (_, given) => {
  expect(verifyWebhook(body, given, SECRET)).toEqual(EVENT);
});

test("a secret with the line feed of its file is the secret without it", () => {
  expect(verifyWebhook(body, headers, `${SECRET}\n`)).toEqual(EVENT);
  expect(verifyWebhook(body, headers, ["whsec_not base64", ` ${SECRET}\r\n`])).toEqual(EVENT);
});

const parsed = EVENT as unknown as string;
const nothing = undefined as unknown as string;

test.each<[string, unknown[], string | RegExp]>([
  ["no secret", [body, headers, []], "needs a secret"],
  ["an undefined secret", [body, headers, nothing], "needs a secret"],
  ["an empty secret", [body, headers, "\n"], "needs a secret"],
  ["a secret that is not base64", [body, headers, "whsec_not base64"], /secret.*base64/],
  ["another secret", [body, headers, "whsec_b3RoZXI="], "No matching signature"],
  ["a body that was parsed", [parsed, headers, SECRET], /body.*text or bytes/],
  ["a body that is no JSON", ["{", signed("{"), SECRET], "JSON"],
  ["no headers", [body, nothing, SECRET], "Missing required headers"],
  ["a signature that is no text", [body, { ...headers, "webhook-signature": 1 }, SECRET], "No matching"],
  ["headers that are none", [body, ["a"], SECRET], "headers"],
  ["empty lists of headers", [body, { ...headers, "webhook-id": [] }, SECRET], "Missing required headers"],
])("%s is a WebhookVerificationError that says so", (_, given, message) => {
  const verify = () => verifyWebhook(...(given as Parameters<typeof verifyWebhook>));
  expect(verify).toThrow(WebhookVerificationError);
  expect(verify).toThrow(message);
});

test.each(["pay.example.com", "localhost:8080", "//pay.example.com", "", "ftp://pay.example.com"])(
  "the base URL %j is refused, and the message says what it needs",
  (baseUrl) => {
    expect(() => createPaylink({ baseUrl, key: "svc_test_1" })).toThrow(/^baseUrl .*https:\/\//);
  },
);
