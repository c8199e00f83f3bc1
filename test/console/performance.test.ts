import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { insertPayments, randomPayments, type BulkPayment } from "../support/bulk-payments.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const DAY_MS = 86_400_000;
const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1";
const PATIENCE = { timeout: 20_000 };

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const checkout = createClient(CheckoutService, service.core.transport);
const viewerOf = async ({ tenant }: Merchant) =>
  new ConsoleClient(service, await createUser(service, tenant.id, "viewer"));
const daysAgo = (days: number) => {
  const at = new Date(Date.now() - days * DAY_MS);
  return randomPayments(400, at, new Date(at.getTime() + 2000));
};
const isPlain = ({ input, status }: BulkPayment) =>
  input.payoutCurrency === "BRL" && input.currency === "BRL" && status === "succeeded";

describe("visits", () => {
  test("of a link are counted by page and session, without those of robots", async () => {
    const merchant = await createMerchant(service);
    const link = await merchant.newLink();
    const open = async (agent: string, method: "GET" | "HEAD" = "GET") =>
      await service.gateway.inject({ method, url: `/pay/${link}`, headers: { "user-agent": agent } });
    for (let time = 0; time < 3; time++) expect((await open(PHONE)).statusCode).toBe(200);
    await open(PHONE, "HEAD");
    for (const robot of [
      "WhatsApp/2.23.20.0",
      "Googlebot/2.1 (+http://www.google.com/bot.html)",
      "curl/8.5.0",
    ]) {
      expect((await open(robot)).statusCode).toBe(200);
    }
    const session = await service.gateway.inject({
      method: "POST",
      url: `/pay/${link}/sessions`,
      headers: { "user-agent": PHONE, "content-type": "application/x-www-form-urlencoded" },
    });
    expect(session.statusCode).toBe(303);
    const period = { from: "2000-01-01", to: "9999-12-31" };
    const counted = async () => {
      const { pageCount, sessionCount } = await checkout.summarizeVisits(
        { linkId: link, ...period },
        merchant.as,
      );
      return [pageCount, sessionCount];
    };
    await expect.poll(counted, PATIENCE).toEqual([3n, 1n]);
    const page = textOf((await (await viewerOf(merchant)).get(`/console/test/links/${link}`)).body);
    expect(page).toMatch(/Página aberta\s+3\s/);
    expect(page).toMatch(/Preço garantido \(sessão\)\s+1\s/);
    const other = await createMerchant(service);
    expect(await checkout.summarizeVisits(period, other.as)).toMatchObject({
      pageCount: 0n,
      sessionCount: 0n,
    });
  });
});

describe("the first page", () => {
  test("draws gross and net by day with a table behind, and compares them with the period before", async () => {
    const merchant = await createMerchant(service);
    const [now, before] = [daysAgo(2), daysAgo(9)].map((some) => some.filter(isPlain).slice(0, 2));
    if (!now?.[0] || !before?.[0]) throw new Error("none succeeded");
    await insertPayments(rows, merchant.tenant.id, [now[0], before[0]]);
    const viewer = await viewerOf(merchant);
    const { body } = await viewer.get("/console/test?lang=en");
    expect(body.match(/<svg[^>]+role="img"[^>]+Gross and net in R\$ by day, last 7 days/g)).toHaveLength(1);
    expect(body.match(/<rect[^>]+class="series-0"[^>]+y=/g)).toHaveLength(7);
    expect(body).not.toMatch(/<(svg|rect)[^>]+style=/);
    const [gross, earlier] = [now[0].price.payerTotalMinor, before[0].price.payerTotalMinor];
    const change = new Intl.NumberFormat("en", {
      style: "percent",
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
      signDisplay: "exceptZero",
    }).format(Number(((gross - earlier) * 1_000_000n) / earlier) / 1_000_000);
    expect(textOf(body)).toContain(`(${change} on the period before)`);
    expect(textOf(body)).toContain("1 of 1 ended");
    const month = (await viewer.get("/console/test?days=30&lang=en")).body;
    expect(month).toContain("Table of the last 30 days");
    expect(month.match(/<rect[^>]+class="series-1"[^>]+y=/g)).toHaveLength(30);
    expect((await viewer.get("/console/test?days=9999&lang=en")).body).toContain("Table of the last 7 days");
  });

  test("has the dates of its bars, and their values in a table that needs no script", async () => {
    const merchant = await createMerchant(service);
    const paid = daysAgo(2).find(isPlain);
    if (!paid) throw new Error("none succeeded");
    await insertPayments(rows, merchant.tenant.id, [paid]);
    const { body } = await (await viewerOf(merchant)).get("/console/test?lang=en");
    const [figure = ""] = /<figure class="chart"[^]*?<\/figure>/.exec(body) ?? [];
    expect(
      /<p class="dates[^]*?<\/p>/.exec(figure)?.[0].match(/<span>\d+ \w{3} \d{4}<\/span>/g),
    ).toHaveLength(7);
    const [, table = ""] = /<details>([^]*?)<\/details>/.exec(figure) ?? [];
    const gross = new Intl.NumberFormat("en", { style: "currency", currency: "BRL" }).format(
      Number(paid.price.payerTotalMinor) / 100,
    );
    expect(table.match(/<tr/g)).toHaveLength(1 + 7);
    expect(textOf(table)).toContain(textOf(gross));
  });

  test("leaves out steps of the funnel that were not counted, and says when nobody paid", async () => {
    const merchant = await createMerchant(service);
    const paid = daysAgo(2).find(isPlain);
    if (!paid) throw new Error("none succeeded");
    await insertPayments(rows, merchant.tenant.id, [paid]);
    const text = textOf((await (await viewerOf(merchant)).get("/console/test?lang=en")).body);
    expect(text).toMatch(/Payment started 1 Paid 1/);
    expect(text).not.toMatch(/Page opened \d|Price locked \(session\) \d/);
    const link = await merchant.newLink();
    const page = textOf((await (await viewerOf(merchant)).get(`/console/test/links/${link}?lang=en`)).body);
    expect(page).toContain("No one has opened a page yet.");
    expect(page).not.toContain("Payment started");
  });

  test("draws by method how many of the ended payments succeeded", async () => {
    const merchant = await createMerchant(service, { paymentMethods: ["pix", "card"] });
    for (const how of [{}, { outcome: "failed" }, {}, { payment_method: "card", outcome: "failed" }])
      await merchant.pay({}, how);
    const { body } = await (await viewerOf(merchant)).get("/console/test?lang=en");
    const [, table = ""] = /Approval by payment method<\/h2>([^]*?)<\/table>/.exec(body) ?? [];
    expect(textOf(table)).toContain("Pix 2 of 3 ended Credit card 0 of 1 ended");
    expect(
      [...table.matchAll(/<rect class="series-0" width="([\d.]+)"/g)].map(([, width]) =>
        Math.floor(Number(width)),
      ),
    ).toEqual([66, 0]);
  });
});
