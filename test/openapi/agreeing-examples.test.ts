import { expect, test } from "vitest";
import { answerAt, openApi, operations } from "../support/openapi.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Example {
  /** Whose it is: "createPaymentLink 201", "payment.failed". */
  readonly of: string;
  readonly value: unknown;
}

type Content = NonNullable<ReturnType<typeof operations>[number]["operation"]["requestBody"]>["content"];

function examplesIn(of: string, content: Content | undefined): Example[] {
  const { example, examples = {} } = content?.["application/json"] ?? {};
  const values = [example, ...Object.values(examples).map(({ value }) => value)];
  return values.filter((value) => value !== undefined).map((value) => ({ of, value }));
}

const ASKED = operations().map(({ path, verb, operation }) => ({
  asked: examplesIn(operation.operationId, operation.requestBody?.content)[0]?.value as Fields | undefined,
  answers: Object.keys(operation.responses)
    .filter((status) => Number(status) < 300)
    .flatMap((status) =>
      examplesIn(`${operation.operationId} ${status}`, answerAt(path, verb, Number(status))?.answer.content),
    ),
}));
const SENT = Object.entries(openApi.webhooks).flatMap(([type, { post }]) =>
  examplesIn(type, post.requestBody?.content),
);
const ALL = [...ASKED.flatMap(({ answers }) => answers), ...SENT];

/** Every object in the examples, however deep, with whose it is. */
const OBJECTS = ALL.flatMap(({ of, value }) => objectsIn(value).map((object) => ({ of, object })));

function objectsIn(value: unknown): Fields[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Fields, ...inner];
}

/** Expects nothing of an object without all of these fields. */
function each(names: readonly string[], agree: (object: Fields, of: string) => void): void {
  const having = OBJECTS.filter(({ object }) => names.every((name) => object[name] != null));
  expect(having.length).toBeGreaterThan(0);
  for (const { of, object } of having) agree(object, of);
}

test("a link's address is that of its id", () => {
  each(["id", "checkout_url"], ({ id, checkout_url, url = checkout_url }, of) => {
    const address = `https://pay.example.com/pay/${String(id)}`;
    expect([of, checkout_url, url]).toEqual([of, address, address]);
  });
});

test("one id of each kind is in all examples", () => {
  const ids = JSON.stringify(ALL).match(/\b[a-z]{2,3}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g) ?? [];
  const ofKind = Map.groupBy(new Set(ids), (id) => id.split("_")[0]);
  expect([...ofKind.values()].filter((same) => same.length > 1)).toEqual([]);
  expect(ofKind.size).toBeGreaterThan(8);
});

test("times are in their order: made, changed, ended; an event after what it is of", () => {
  const madeAt = ({ created, created_at = created }: Fields) => Number(created_at);
  each(["expires_at"], (object, of) => {
    if (object["expires_at"] === 0 || Number.isNaN(madeAt(object))) return;
    expect([of, Number(object["expires_at"]) > madeAt(object)]).toEqual([of, true]);
  });
  each(["updated_at"], (object, of) => {
    expect([of, Number(object["updated_at"]) >= madeAt(object)]).toEqual([of, true]);
  });
  each(["type", "created", "data"], ({ created, data }, of) => {
    const objects = Object.values(data as Fields).filter((value) => typeof value === "object");
    for (const object of objects as Fields[]) {
      const { updated_at, status, expires_at } = object;
      const ended = status === "expired" ? expires_at : 0;
      for (const time of [madeAt(object), updated_at ?? 0, ended])
        expect([of, Number(created) >= Number(time)]).toEqual([of, true]);
    }
  });
});

test("a link that is asked for without an end has the end that it then has", () => {
  const { asked, answers } = ASKED.find((one) => one.answers[0]?.of === "createPaymentLink 201") ?? {};
  const link = answers?.[0]?.value as Fields | undefined;
  expect(asked).not.toHaveProperty("expires_in");
  expect(Number(link?.["expires_at"]) - Number(link?.["created"])).toBe(86_400);
});

test("amounts add up: gross, fee and net, and what is refunded", () => {
  each(["gross_amount", "fee_amount", "net_amount"], ({ gross_amount, fee_amount, net_amount }, of) => {
    expect([of, Number(fee_amount) + Number(net_amount)]).toEqual([of, gross_amount]);
  });
  each(["payment", "refund"], ({ payment, refund }, of) => {
    const { status, amount } = refund as Fields;
    const refunded = status === "succeeded" ? amount : undefined;
    expect([of, (payment as Fields)["refunded_amount"]]).toEqual([of, refunded]);
  });
});

test("an event has the mode and reference of its object, and a decline one reason", () => {
  each(["type", "data"], ({ mode, reference, data }, of) => {
    const { payment, payment_link } = data as Record<string, Fields | undefined>;
    const object = payment ?? payment_link;
    expect([of, reference]).toEqual([of, object ? object["reference"] : null]);
    if (payment_link) expect([of, payment_link["mode"]]).toEqual([of, mode]);
  });
  each(["decline_code", "payment"], ({ decline_code, payment }) => {
    expect((payment as Fields)["failure_code"]).toBe(decline_code);
  });
  expect(SENT.map(({ of, value }) => [of, (value as Fields)["type"]])).toEqual(
    Object.keys(openApi.webhooks).map((type) => [type, type]),
  );
});

test("a list that goes on has the cursor of its last entry", () => {
  each(["data", "has_more"], ({ data, has_more, next_cursor }, of) => {
    const { id, day = id } = (data as Fields[]).at(-1) ?? {};
    expect([of, has_more, next_cursor]).toEqual([of, true, day]);
  });
});

test("an answer has what was asked for", () => {
  let compared = 0;
  for (const { asked = {}, answers } of ASKED)
    for (const { of, value } of answers)
      for (const [name, given] of Object.entries(asked)) {
        if (!Object.hasOwn(value as Fields, name)) continue;
        // A name of an accepted quote is its link's description.
        expect([of, name, (value as Fields)[name]]).toEqual([of, name, given]);
        compared += 1;
      }
  expect(compared).toBeGreaterThan(15);
});

test("an operation's example shows what it brings about", () => {
  const answerOf = (of: string) => ALL.find((one) => one.of === of)?.value;
  expect(answerOf("cancelPaymentLink 200")).toMatchObject({ status: "canceled" });
  expect(answerOf("disableWebhookEndpoint 200")).toMatchObject({ status: "disabled" });
  expect(answerOf("enableWebhookEndpoint 200")).toMatchObject({ status: "enabled", disabled_reason: null });
  expect(answerOf("sendTestEvent 201")).toMatchObject({ type: "webhook.test", event_type: "webhook.test" });
  expect(answerOf("getSentEvent 200")).toMatchObject({
    type: "payment.succeeded",
    data: { payment: { status: "succeeded" } },
  });
});
