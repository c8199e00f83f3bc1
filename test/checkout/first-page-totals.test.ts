import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { FeeHandling, PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { formatOf } from "../../gateway/pages/format.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { PageCaller } from "./page-caller.ts";

const { service, merchant, rows, get, post, submit } = await forFile(PageCaller.start());
const pricing = createClient(PricingService, service.core.transport);
const merchants = { BRL: merchant, USD: await createMerchant(service, { payoutCurrency: "USD" }) };

const SPOT_MICROS = 5_432_100n;
const publish = async (spotMicros: bigint): Promise<void> => {
  const rate = { mode: Mode.TEST, spotMicros, maxAgeSeconds: 4_000_000_000n };
  await pricing.publishFxRate(rate, service.internal);
};

const format = formatOf("pt-BR");
const plain = (text: string): string =>
  text
    .replaceAll(/[\u00A0\u202F]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
const reais = (minor: bigint | number): string => plain(format.money(BigInt(minor), "BRL"));

/** What a first page shows. */
interface FirstPage {
  readonly status: number;
  readonly text: string;
  readonly buttons: Readonly<Record<string, string>>;
  readonly prices: string;
}

function read({ statusCode: status, body }: { statusCode: number; body: string }): FirstPage {
  const found = [...body.matchAll(/<button[^>]*value="([^"]+)"[^>]*>([^<]*)</g)];
  return {
    status,
    text: plain(body.replaceAll(/<[^>]*>/g, " ")),
    buttons: Object.fromEntries(found.map(([, way = "", text = ""]) => [way, plain(text)])),
    prices: /name="prices" value="([^"]+)"/.exec(body)?.[1] ?? "",
  };
}
const firstPage = async (link: string, cookie = ""): Promise<FirstPage> =>
  read(await get(`/pay/${link}`, cookie === "" ? {} : { cookie }));
const countOf = async (table: string, link: string): Promise<number> =>
  await rows.count(`test.${table} WHERE link_id = $1`, [link]);

/** The totals in a session's choice, by option. */
async function sessionTotals(address: string): Promise<Record<string, bigint>> {
  const { body } = await get(`${address.split("?")[0]}?choose=1`);
  const many = [...body.matchAll(/data-way="([^"]+)" data-total="(\d+)"/g)];
  if (many.length > 0)
    return Object.fromEntries(many.map(([, way = "", total = ""]) => [way, BigInt(total)]));
  const [, total = ""] = /<dd data-total="(\d+)"/.exec(body) ?? [];
  const [, way = ""] = /name="way" value="([^"]+)"/.exec(body) ?? [];
  return { [way]: BigInt(total) };
}

interface Kind {
  readonly payout: "BRL" | "USD";
  readonly currency: "BRL" | "USD";
  readonly fees: "absorb" | "pass_through";
  readonly made: "directly" | "as a campaign" | "from a quote" | "as a campaign from a quote";
}
const KINDS = (["BRL", "USD"] as const).flatMap((payout) =>
  (["BRL", "USD"] as const).flatMap((currency) =>
    (["absorb", "pass_through"] as const).flatMap((fees) =>
      (["directly", "as a campaign", "from a quote", "as a campaign from a quote"] as const).map(
        (made): Kind => ({ payout, currency, fees, made }),
      ),
    ),
  ),
);

/** Makes links of the kind: one by both methods, or one by each of the quotes. */
async function linksOf({ api, newLink }: Merchant, { currency, fees, made }: Kind): Promise<string[]> {
  const denomination = { amount: 100_000, currency, fee_handling: fees };
  const campaign = made.startsWith("as a campaign");
  if (!made.endsWith("from a quote")) return [await newLink({ ...denomination, campaign })];
  const ways = [
    { payment_method: "pix" },
    { payment_method: "card", installments: 1 },
    { payment_method: "card", installments: 12 },
  ];
  return await Promise.all(
    ways.map(async (way) => {
      const { body: quote } = await api.post("/v1/quotes", { ...denomination, ...way });
      return (await api.post(`/v1/quotes/${quote.id}/accept`, { name: "Chair", campaign })).body.id;
    }),
  );
}

/** What the buttons of these totals say, where they are not the product's amount. */
function expectedButtons(totals: Readonly<Record<string, bigint>>): Record<string, string> {
  const cards = Object.entries(totals).filter(([way]) => way.startsWith("card"));
  const [least] = cards;
  const most = cards.at(-1);
  const n = BigInt(most?.[0].split("-")[1] ?? 1);
  const once = reais(least?.[1] ?? 0n);
  const total = most?.[1] ?? 0n;
  const isUneven = total % n !== 0n;
  const word = isUneven ? "até" : "de";
  // The first installment has what is left over.
  const part = reais(total / n + (total % n));
  const card =
    n === 1n
      ? `Cartão · 1x ${once}`
      : cards.length === 1
        ? `Cartão · ${n}x ${word} ${part}, total ${once}`
        : `Cartão · 1x ${once} ou ${isUneven ? "" : "até "}${n}x ${word} ${part}`;
  return {
    ...(totals["pix-1"] === undefined ? {} : { "pix-1": `Pix · ${reais(totals["pix-1"])}` }),
    ...(least ? { card } : {}),
  };
}

describe("a link's first page", () => {
  test.each(KINDS)(
    "of a link of $currency paid out in $payout, with $fees, made $made, shows on its buttons what session, preview and Payment have",
    async (kind) => {
      const seller = merchants[kind.payout];
      for (const link of await linksOf(seller, kind)) {
        const shown = await firstPage(link);
        const way = Object.keys(shown.buttons)[0] ?? "";
        const opened = await post(`/pay/${link}/sessions`, { prices: shown.prices, way: "" });
        expect(opened.statusCode).toBe(303);
        const address = String(opened.headers.location);
        const totals = await sessionTotals(address);
        const isProduct =
          Object.values(totals).every((total) => total === 100_000n) && kind.currency === "BRL";
        if (isProduct) expect(Object.values(shown.buttons).join(" ")).not.toContain("R$");
        else expect(shown.buttons).toEqual(expectedButtons(totals));
        // A sentence about the price is there where it is true.
        expect(shown.text.includes("O preço mostrado é o preço cobrado.")).toBe(isProduct);
        expect(shown.text.includes("Câmbio de ")).toBe(kind.currency === "USD" || kind.payout === "USD");

        const { ways } = await pricing.previewPrices(
          {
            amount: 100_000n,
            currency: kind.currency,
            maxInstallments: 12,
            feeHandling: kind.fees === "absorb" ? FeeHandling.ABSORB : FeeHandling.PASS_THROUGH,
          },
          seller.as,
        );
        const previewed = Object.fromEntries(
          ways.map(({ paymentMethod: method, installments, result }) => [
            `${method === PaymentMethod.PIX ? "pix" : "card"}-${installments}`,
            result.case === "price" ? result.value.payerTotal : 0n,
          ]),
        );
        expect(previewed).toMatchObject(totals);

        const option = way === "card" ? (Object.keys(totals)[0] ?? "") : way;
        const total = String(totals[option]);
        const paid = await post(`${address.split("?")[0]}/payments`, {
          way: option,
          ...(kind.fees === "absorb" ? {} : { acknowledged_total: total }),
          ...(way === "card" ? { card_token: "tok_approved" } : {}),
        });
        expect(paid.statusCode).toBe(303);
        const { body } = await seller.api.get("/v1/payments?from=2020-01-01&to=2099-01-01&limit=1");
        expect(body.data[0]).toMatchObject({
          link_id: link,
          gross_amount: Number(total),
          gross_currency: "BRL",
        });
      }
    },
  );

  test("of a thousand reais whose payer bears the fee has the total of each way on its button", async () => {
    const link = await merchant.newLink({ amount: 100_000, fee_handling: "pass_through" });
    const { buttons } = await firstPage(link);
    expect(buttons).toEqual({
      "pix-1": "Pix · R$ 1.010,40",
      card: "Cartão · 1x R$ 1.041,96 ou 12x até R$ 97,49",
    });
  });

  test("locks no rate and stores no price", async () => {
    const link = await merchant.newLink({ amount: 10_000, currency: "USD" });
    const stored = async () => [
      await rows.count("test.price"),
      await rows.count("test.fx_rate_history"),
      await countOf("checkout_session", link),
    ];
    const before = await stored();
    expect((await firstPage(link)).text).toContain("US$ 1 = R$ 5,513582");
    expect(await stored()).toEqual(before);
  });

  test("is shown anew, with the new totals, to a payer who has seen another rate; nothing is opened before", async () => {
    const link = await merchant.newLink({ amount: 10_000, currency: "USD", payment_methods: ["pix"] });
    const seen = await firstPage(link);
    await publish(5_600_000n);
    const again = read(await submit(`/pay/${link}/sessions`, { prices: seen.prices, way: "pix-1" }));
    expect(again.text).toContain("Os totais mudaram");
    expect(again.text).toContain("Os totais mudaram desde que esta página foi aberta.");
    expect(again.buttons["pix-1"]).toBe("Pix · R$ 568,40");
    expect(again.buttons).toEqual((await firstPage(link)).buttons);
    expect(await countOf("checkout_session", link)).toBe(0);
    const opened = await post(`/pay/${link}/sessions`, { prices: again.prices, way: "pix-1" });
    expect(await sessionTotals(String(opened.headers.location))).toEqual({ "pix-1": 56_840n });
    await publish(SPOT_MICROS);
  });

  test("is shown anew where a rule has changed the totals in reais", async () => {
    const own = await createMerchant(service);
    const link = await own.newLink({ fee_handling: "pass_through", payment_methods: ["pix"] });
    const seen = await firstPage(link);
    await pricing.putPricingRule(
      {
        tenantId: own.tenant.id,
        mode: Mode.TEST,
        paymentMethod: PaymentMethod.PIX,
        currency: "BRL",
        percentPpm: 20_000n,
        defaultFeeHandling: FeeHandling.ABSORB,
      },
      service.internal,
    );
    const again = read(await submit(`/pay/${link}/sessions`, { prices: seen.prices, way: "pix-1" }));
    expect(again.text).toContain("Os totais mudaram");
    expect(again.buttons["pix-1"]).not.toBe(seen.buttons["pix-1"]);
    expect(await countOf("checkout_session", link)).toBe(0);
  });

  test("has the totals of the payer's own open session, which a later rate leaves alone", async () => {
    const link = await merchant.newLink({ amount: 10_000, currency: "USD", campaign: true });
    const seen = await firstPage(link);
    const opened = await post(`/pay/${link}/sessions`, { prices: seen.prices });
    const cookie = String(opened.headers["set-cookie"]).split(";")[0] ?? "";
    await publish(5_300_000n);
    expect((await firstPage(link)).buttons).not.toEqual(seen.buttons);
    const own = await firstPage(link, cookie);
    expect(own).toMatchObject({ buttons: seen.buttons, prices: seen.prices });
    // They are held for what is left of the session.
    expect([own.text.includes("15 minutos"), own.text.includes("Preço garantido até")]).toEqual([
      false,
      true,
    ]);
    // A page that was opened before the session, at another rate.
    const other = await firstPage(link);
    const send = async (prices: string) =>
      await service.gateway.inject({
        method: "POST",
        url: `/pay/${link}/sessions`,
        headers: { "content-type": "application/x-www-form-urlencoded", cookie },
        payload: new URLSearchParams({ prices, way: "pix-1" }).toString(),
      });
    const { statusCode, headers } = await send(other.prices);
    expect(statusCode).toBe(303);
    const refused = read(await get(String(headers.location), { cookie }));
    expect(refused.text).toContain("Os totais mudaram");
    expect(refused.buttons).toEqual(seen.buttons);
    expect((await send(refused.prices)).headers.location).toContain(String(opened.headers.location));
    expect(await countOf("checkout_session", link)).toBe(1);
    await publish(SPOT_MICROS);
  });

  test("says that there is no rate where one is needed, and has no button", async () => {
    const link = await merchant.newLink({ amount: 10_000, currency: "USD" });
    await pricing.publishFxRate(
      { mode: Mode.TEST, spotMicros: SPOT_MICROS, maxAgeSeconds: 60n },
      service.internal,
    );
    service.clock.advance(61);
    const { text, buttons } = await firstPage(link);
    expect(text).toContain("Não há câmbio disponível agora.");
    expect(buttons).toEqual({});
    await publish(SPOT_MICROS);
  });

  test("promises fifteen minutes only where the link lasts as long", async () => {
    const [short, long] = [
      await merchant.newLink({ expires_in: 600 }),
      await merchant.newLink({ expires_in: 900 }),
    ];
    expect((await firstPage(short)).text).not.toContain("15 minutos");
    expect((await firstPage(long)).text).toContain("o preço fica garantido por 15 minutos");
  });
});
