import { describe, expect, test } from "vitest";
import type { RoleName } from "../../contract/roles.ts";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const DAY = "2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
const LIST = `/console/test/payments?from=${DAY}&to=${DAY}`;
const COUNT = 130;
const DAY_MS = 86_400_000;

const clients = {} as Record<RoleName, ConsoleClient>;
const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const payments = randomPayments(COUNT, START, END);
const [first] = payments;
if (!first) throw new Error("no payment");
payments[0] = { ...first, reference: HOSTILE, metadata: { [HOSTILE]: HOSTILE, list: [HOSTILE] } };
await insertPayments(rows, merchant.tenant.id, payments);
for (const role of ["owner", "developer", "finance", "viewer"] as const) {
  clients[role] = new ConsoleClient(service, await createUser(service, merchant.tenant.id, role));
}

const idsOf = (body: string): string[] => [
  ...new Set([...body.matchAll(/title="(pay_[0-9a-z]{26})"/g)].map(([, id = ""]) => id)),
];

describe("the list", () => {
  test("shows every payment of the period once, page by page, with the totals of all on each page", async () => {
    const seen: string[] = [];
    for (let address = LIST; address !== "";) {
      const { body } = await clients.viewer.get(address);
      expect(body).toContain(`<strong>${COUNT} `);
      seen.push(...idsOf(body));
      address = (/rel="next" href="([^"]+)"/.exec(body)?.[1] ?? "").replaceAll("&amp;", "&");
    }
    expect(seen.toSorted()).toEqual(payments.map(({ id }) => id).toSorted());
    expect(new Set(seen).size).toBe(COUNT);
  });

  test("finds a pasted id on any day", async () => {
    const [, { id } = { id: "" }] = payments;
    const { body } = await clients.viewer.get(`/console/test/payments?q=${id}`);
    expect(idsOf(body)).toEqual([id]);
  });

  test("names a file after a pasted id, for any days in the address", async () => {
    const [, { id } = { id: "" }] = payments;
    const query = `q=${id}&from=${encodeURIComponent('x"; filename="evil.exe')}&to=..%2F..%2Fa`;
    const { statusCode, headers } = await clients.owner.get(`/console/test/payments/export.csv?${query}`);
    expect(statusCode).toBe(200);
    expect(headers["content-disposition"]).toBe(`attachment; filename="payments-test-${id}.csv"`);
    const page = await clients.owner.get(`/console/test/payments/export?${query}`);
    expect([page.statusCode, page.body.includes(id)]).toEqual([200, true]);
    expect((await clients.owner.get(`/console/test/payments?${query}`)).statusCode).toBe(200);
  });

  test("of a link is reached from the link's page, since the day on which the link was made", async () => {
    const linkId = await merchant.newLink();
    const [early, late] = [new Date(Date.now() - 30 * DAY_MS), new Date(Date.now() - DAY_MS)];
    const ofLink = randomPayments(COUNT, early, late).map((payment) => ({ ...payment, linkId }));
    await insertPayments(rows, merchant.tenant.id, ofLink);
    await rows.run("UPDATE test.payment_link SET created_at = $2 WHERE id = $1", [linkId, early]);
    const { body } = await clients.viewer.get(`/console/test/links/${linkId}`);
    const address = (/href="([^"]+\/payments\?[^"]+)"/.exec(body)?.[1] ?? "").replaceAll("&amp;", "&");
    const list = await clients.viewer.get(address);
    expect(list.body).toContain(`<strong>${COUNT} `);
    expect(ofLink.map(({ id }) => id)).toEqual(expect.arrayContaining(idsOf(list.body)));
  });

  test.each([
    ["an end before the beginning", "from=2026-03-03&to=2026-03-02"],
    ["a day that is none", "from=2026-02-30&to=2026-03-02"],
  ])("of %s says what to change, and keeps what was typed", async (_, query) => {
    const answer = await clients.viewer.get(`/console/test/payments?${query}&q=abc`);
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain('id="field-from-problem"');
    expect(answer.body).toContain('value="abc"');
    const exported = await clients.owner.get(`/console/test/payments/export.csv?${query}`);
    expect(exported.statusCode).toBe(422);
    expect(exported.headers["content-disposition"]).toBeUndefined();
  });

  test("of an empty day shows what to do next", async () => {
    const { statusCode, body } = await clients.viewer.get("/console/test/payments");
    expect(statusCode).toBe(200);
    expect(body).toContain('class="empty"');
  });
});

describe("a payment's page", () => {
  test("keeps hostile texts texts", async () => {
    const [{ id } = { id: "" }] = payments;
    for (const address of [
      LIST,
      `/console/test/payments/${id}`,
      `${LIST}&q=${encodeURIComponent(HOSTILE)}`,
    ]) {
      const { body, statusCode } = await clients.owner.get(address);
      expect(statusCode).toBe(200);
      expect(body).not.toContain("<script>alert");
    }
    const { body } = await clients.owner.get(`${LIST}&q=${encodeURIComponent(HOSTILE)}`);
    expect(idsOf(body)).toEqual([id]);
    expect(body).toContain(HOSTILE_ESCAPED);
  });

  test("shows amounts as the price has them, the bridge, events and entries", async () => {
    const { body: payment } = await merchant.pay(
      { amount: 100_000, reference: "order-1042" },
      { payment_method: "card" },
    );
    const { body } = await clients.finance.get(`/console/test/payments/${payment.id}?lang=en`);
    const money = (minor: number): string =>
      new Intl.NumberFormat("en", { style: "currency", currency: "BRL" }).format(minor / 100);
    for (const amount of ["gross_amount", "fee_amount", "net_amount"]) {
      expect(body).toContain(money(payment[amount]));
    }
    for (const text of ["order-1042", "payment.succeeded", "provider_clearing", "merchant_payable"]) {
      expect(body).toContain(text);
    }
  });

  test("names accounts and events in words, beside their names in the API", async () => {
    const exporter = await createMerchant(service, { payoutCurrency: "USD" });
    const reader = new ConsoleClient(service, await createUser(service, exporter.tenant.id, "viewer"));
    const { body: payment } = await exporter.pay({ amount: 100_000 }, { payment_method: "card" });
    const words: Readonly<Record<string, readonly string[]>> = {
      en: ["Due from the provider", "Yours, pending", "Exchange rate", "Payment succeeded"],
      "pt-BR": ["A receber do provedor", "Seu, a receber", "Câmbio", "Pagamento aprovado"],
    };
    for (const [language, texts] of Object.entries(words)) {
      const { body } = await reader.get(`/console/test/payments/${payment.id}?lang=${language}`);
      for (const text of texts) expect(body).toContain(text);
      // An account or event without words would be there alone.
      expect(body).not.toMatch(/<t[hd][^>]*>\s*(<code>)?[a-z]+[_.][a-z_.]+(<\/code>)?\s*<\/t[hd]>/);
      expect(body).toContain("<code>fx_position</code>");
    }
  });

  test("shows the payer's details only to whom they are permitted, and only when asked for", async () => {
    const [, { id } = { id: "" }] = payments;
    const address = `/console/test/payments/${id}`;
    for (const role of ["viewer", "developer"] as const) {
      expect((await clients[role].get(`${address}?payer=show`)).body).not.toMatch(
        /Dados do pagador|payer=show#/,
      );
    }
    expect((await clients.finance.get(address)).body).toContain("?payer=show#payer");
    expect((await clients.finance.get(`${address}?payer=show`)).body).toContain('id="payer"');
  });
});

describe("a role", () => {
  test.each([
    ["owner", true, true, "2026-03-11"],
    ["finance", true, true, "2026-03-12"],
    ["developer", true, false, "2026-03-13"],
    ["viewer", false, false, "2026-03-14"],
  ] as const)("%s exports: %s, closes days: %s", async (role, exports, seals, openDay) => {
    const client = clients[role];
    const files = [
      `/console/test/payments/export?from=${DAY}&to=${DAY}`,
      `/console/test/payments/export.csv?from=${DAY}&to=${DAY}`,
      `/console/test/payments/export.jsonl?from=${DAY}&to=${DAY}`,
    ];
    for (const file of files) expect((await client.get(file)).statusCode).toBe(exports ? 200 : 403);
    expect((await client.get(LIST)).body.includes("/payments/export?")).toBe(exports);
    const action = `/console/test/close/${openDay}/seal`;
    for (const page of [`/console/test/close/${openDay}`, "/console/test/close?month=2026-03"]) {
      const { statusCode, body } = await client.get(page);
      expect(statusCode).toBe(200);
      expect(body.includes(`action="${action}"`)).toBe(seals);
    }
    const sealed = await client.send(action, {
      form_token: await client.formToken(LIST),
    });
    expect(sealed.statusCode).toBe(seals ? 303 : 403);
    await merchant.ledger.sealDay({ day: openDay }, merchant.as);
    for (const name of ["sealed.csv", "sealed.jsonl", "sealed.xlsx", "changes.jsonl"]) {
      const file = await client.get(`/console/test/close/${openDay}/${name}`);
      expect(file.statusCode).toBe(exports ? 200 : 403);
    }
  });
});

describe("what belongs to another tenant or the other mode is unknown", () => {
  test("payments, seals and files", async () => {
    const other = await createMerchant(service);
    const [theirs] = randomPayments(1, START, END);
    if (!theirs) throw new Error("no payment");
    await insertPayments(rows, other.tenant.id, [theirs]);
    await insertPayments(
      rows,
      merchant.tenant.id,
      [{ ...theirs, id: theirs.id.replace("pay_0", "pay_1") }],
      "live",
    );
    await other.ledger.sealDay({ day: DAY }, other.as);
    const foreign = [
      `/console/test/payments/${theirs.id}`,
      `/console/live/payments/${payments[0]?.id}`,
      `/console/test/close/${DAY}/sealed.csv`,
      `/console/test/close/${DAY}/sealed.jsonl`,
      `/console/test/close/${DAY}/sealed.xlsx`,
      `/console/test/close/${DAY}/changes.jsonl`,
      "/console/test/close/2026-02-30",
      "/console/test/close/yesterday",
    ];
    for (const address of foreign) {
      expect({ address, status: (await clients.owner.get(address)).statusCode }).toEqual({
        address,
        status: 404,
      });
    }
    for (const address of [LIST, `/console/test/payments?q=${theirs.id}`]) {
      expect(idsOf((await clients.owner.get(address)).body)).not.toContain(theirs.id);
    }
    expect((await clients.owner.get(`/console/test/close/${DAY}`)).body).not.toContain("seal-hash");
  });
});
