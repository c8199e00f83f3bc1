import { describe, expect, test } from "vitest";
import { CORE_TOKEN } from "../support/core-options.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { runCommand } from "../support/process.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const merchant = await createMerchant(service);
const own = ["--tenant", merchant.tenant.id, "--mode", "test"];
const env = { CORE_URL: `http://${ports.http2}`, CORE_TOKEN };

async function paylink(...args: string[]) {
  const { code, stdout, stderr } = await runCommand([...args, ...own, "--json"], env);
  return { code, stderr, json: stdout === "" ? undefined : JSON.parse(stdout) };
}

describe("paylink links", () => {
  test("create makes a link that REST has, list finds it, get shows it, deactivate closes it", async () => {
    const given = ["--methods", "pix,card", "--max-installments", "3", "--fee-handling", "pass_through"];
    const more = ["--description", "Shoes", "--reference", "A-17", "--expires-in", "2h"];
    const { json: made } = await paylink("links", "create", "--amount", "15990", ...given, ...more);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^pl_/),
      status: "active",
      amount: 15_990,
      currency: "BRL",
      payment_methods: ["pix", "card"],
      max_installments: 3,
      fee_handling: "pass_through",
      reference: "A-17",
      description: "Shoes",
      checkout_url: expect.stringContaining("/pay/pl_"),
    });
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(7_200_000);
    const { body } = await merchant.api.get(`/v1/payment_links/${made.id}`);
    expect(body).toMatchObject({ id: made.id, reference: "A-17", max_installments: 3 });
    const { json: campaign } = await paylink("links", "create", "--amount", "1000", "--campaign");
    expect(campaign).toMatchObject({ payment_methods: ["pix"], fee_handling: "absorb", expires_at: null });
    const found = await paylink("links", "list", "--query", "a-17", "--status", "active");
    expect(found.json).toMatchObject([{ id: made.id, campaign: "no" }]);
    expect((await paylink("links", "list", "--limit", "1")).json).toMatchObject([
      { id: campaign.id, campaign: "yes" },
    ]);
    const closed = await paylink("links", "deactivate", made.id);
    expect(closed).toMatchObject({ code: 0, json: { id: made.id, status: "canceled" } });
    expect((await paylink("links", "get", made.id)).json).toMatchObject({
      status: "canceled",
      campaign: "no",
    });
  });

  test("refusals name the options, and exit with 1", async () => {
    const none = await paylink("links", "get", "pl_00000000000000000000000000");
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("(payment_link_not_found)") });
    const boleto = await paylink("links", "create", "--amount", "1", "--methods", "boleto");
    expect(boleto.stderr).toContain("It must be pix, card or pix,card.");
    const many = await paylink("links", "create", "--amount", "100", "--max-installments", "22");
    expect(many.stderr).toContain("--max-installments must be");
  });
});

describe("paylink quotes", () => {
  test("create prices one method or all, get shows it, accept makes a link at its price", async () => {
    const amount = ["--amount", "15990"];
    const { json: quote } = await paylink("quotes", "create", ...amount, "--method", "pix");
    expect(quote).toMatchObject({ payment_method: "pix", installments: 1, payer_total: 15_990, rate: null });
    const { json: all } = await paylink("quotes", "create", ...amount, "--installments", "2");
    expect(all.map((one: Record<string, unknown>) => [one["payment_method"], one["installments"]])).toEqual([
      ["pix", 1],
      ["ted", 1],
      ["card", 1],
      ["card", 2],
    ]);
    const usd = await paylink("quotes", "create", "--amount", "1000", "--currency", "USD", "--method", "pix");
    expect(usd.json.rate).toMatch(/^\d\.\d{6}$/);
    const { json: link } = await paylink(
      "quotes",
      "accept",
      quote.id,
      "--name",
      "Shoes",
      "--reference",
      "A-18",
    );
    expect(link).toMatchObject({
      id: expect.stringMatching(/^pl_/),
      checkout_url: expect.stringContaining("/pay/pl_"),
      payer_total: 15_990,
      receiver_net: quote.receiver_net,
      reference: "A-18",
    });
    expect((await paylink("quotes", "get", quote.id)).json).toMatchObject({
      status: "consumed",
      link: link.id,
    });
    const again = await paylink("quotes", "accept", quote.id, "--name", "Shoes");
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("(quote_consumed)") });
  });
});

describe("paylink payments", () => {
  test("list finds payments by day, page by page, and get shows one with what went back", async () => {
    const first = (await merchant.pay({ reference: "A-19" })).body.id;
    const second = (
      await merchant.pay({ payment_methods: ["card"] }, { outcome: "failed", payment_method: "card" })
    ).body.id;
    const listed = await paylink("payments", "list");
    const ids: string[] = listed.json.map(({ id }: { id: string }) => id);
    expect(new Set(ids)).toEqual(new Set([first, second]));
    const [newest] = listed.json;
    const page = await paylink("payments", "list", "--limit", "1", "--starting-after", newest.id);
    expect(page.json.map(({ id }: { id: string }) => id)).toEqual([listed.json[1].id]);
    expect((await paylink("payments", "list", "--from", "2020-01-01", "--to", "2020-01-31")).json).toEqual(
      [],
    );
    const turned = await paylink("payments", "list", "--from", "2020-02-01", "--to", "2020-01-31");
    expect(turned).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--from must not be after --to."),
    });
    await paylink("payments", "refund", first, "--amount", "990");
    expect((await paylink("payments", "get", first)).json).toMatchObject({
      id: first,
      status: "succeeded",
      reference: "A-19",
      gross_amount: 15_990,
      refunded_amount: 990,
      failure_code: null,
    });
    expect((await paylink("payments", "get", second)).json).toMatchObject({
      status: "failed",
      failure_code: expect.any(String),
      payment_method: "card",
    });
  });
});

test("keys list --mode shows the keys of one environment", async () => {
  const modes = async (...more: string[]) => {
    const { stdout } = await runCommand(
      ["keys", "list", "--tenant", merchant.tenant.id, "--json", ...more],
      env,
    );
    return JSON.parse(stdout).map(({ mode }: { mode: string }) => mode);
  };
  expect((await modes()).toSorted()).toEqual(["live", "test"]);
  expect(await modes("--mode", "live")).toEqual(["live"]);
});
