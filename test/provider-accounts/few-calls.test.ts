import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { accountNeeds } from "../../contract/needs.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { Connection, TIME_LIMITS, type DocumentedQuota } from "../../src/providers/connection.ts";
import { registrationOf } from "../../src/providers/registry.ts";
import { OPEN_GUARD } from "../api-pix/connected.ts";
import { cardToken, connectPagarme, startPagarmeService } from "../live-cards/pagarme-merchant.ts";
import { forFile } from "../support/for-file.ts";
import type { Merchant } from "../support/merchant.ts";
import type { Payer } from "../support/payer.ts";
import type { TestService } from "../support/service.ts";
import { advance, connectMerchant, startLive } from "./live-merchant.ts";

const live = await forFile(startLive());
const cards = await forFile(startPagarmeService());
afterEach(() => {
  live.service.faults.length = 0;
  cards.service.faults.length = 0;
});

/** Returns a payer's page in English. */
async function pageOf(service: TestService, payer: Payer): Promise<string> {
  const { linkId } = await payer.page();
  const url = `/pay/${linkId}/${payer.sessionId}`;
  return (await service.gateway.inject({ url, headers: { "accept-language": "en" } })).body;
}

/** Returns what the merchant is told of the account. */
async function needsOf(
  from: Pick<typeof live, "providers" | "service">,
  { as }: Merchant,
): Promise<string[]> {
  const { accounts } = await from.providers.listProviderAccounts({}, as);
  const nowMs = from.service.clock.nowMs();
  return accounts.flatMap((account) => accountNeeds(account, nowMs).map(({ key }) => key));
}

describe("a provider that takes no more calls for now", () => {
  test("is asked for a PIX code at its time, which the page says, and the merchant is told", async () => {
    const merchant = await connectMerchant(live);
    expect(await needsOf(live, merchant)).not.toContain("few_calls");
    live.bank.fail("createCharge", { kind: "busy", retryAfter: "120" });
    const { payer } = await merchant.start();
    const { askedAgainAt } = (await payer.session()).payment ?? {};
    const seconds = Number(askedAgainAt?.seconds) - live.service.clock.nowMs() / 1000;
    expect(seconds).toBeGreaterThanOrEqual(120);
    expect(seconds).toBeLessThan(121);
    const page = await pageOf(live.service, payer);
    expect(page).toMatch(/takes no more requests for now\. It is asked again at [^<]*\d:\d\d/);
    expect(page).toContain("?choose=1");
    await vi.waitFor(async () => expect(await needsOf(live, merchant)).toContain("few_calls"));
    advance(live, 122);
    await live.service.core.tasks.checkCharges();
    const { payment } = await payer.session();
    expect(payment?.pixCode).toContain("br.gov.bcb.pix");
    expect(payment?.askedAgainAt).toBeUndefined();
    advance(live, 86_400);
    expect(await needsOf(live, merchant)).not.toContain("few_calls");
  });

  test("is not asked for a card again: the payment fails, and the page says from when it can be tried", async () => {
    const merchant = await connectPagarme(cards);
    const payer = await merchant.opened();
    cards.pagarme.fail("createOrder", { kind: "busy", retryAfter: "90" });
    await merchant.paid(payer, 1, await cardToken(cards.pagarme));
    const { payment } = await payer.session();
    expect(payment?.status).toBe(PaymentStatus.FAILED);
    const page = await pageOf(cards.service, payer);
    expect(page).toMatch(
      /takes no more requests for now\. Try again from [^<]*\d:\d\d[^<]*Nothing was charged/,
    );
    await vi.waitFor(async () => expect(await needsOf(cards, merchant)).toContain("few_calls"));
    await merchant.paid(payer, 1, await cardToken(cards.pagarme));
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.SUCCEEDED);
  });
});

describe("few calls are told before there are none", () => {
  /** Returns how often that was told after each of so many calls. */
  async function told(
    count: number,
    quota: DocumentedQuota | undefined,
    headers: Record<string, string>,
  ): Promise<number[]> {
    const server = createServer((_, answer) => answer.writeHead(200, headers).end("{}"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const onFewLeft = vi.fn<() => void>();
    const connection = new Connection(OPEN_GUARD, { ...TIME_LIMITS, quota, onFewLeft });
    const counts: number[] = [];
    for (let call = 0; call < count; call++) {
      const { port } = server.address() as AddressInfo;
      await connection.call(`http://127.0.0.1:${port}/pix/v2/cob`, { method: "GET", headers: {} });
      counts.push(onFewLeft.mock.calls.length);
    }
    await connection.close();
    server.close();
    return counts;
  }

  test("by what the provider documents of a minute", async () => {
    vi.spyOn(performance, "now").mockReturnValue(60_000);
    expect(await told(6, { callsPerMinute: 5, of: /^\/pix\// }, {})).toEqual([0, 0, 0, 0, 1, 2]);
    expect(await told(6, { callsPerMinute: 5, of: /^\/orders/ }, {})).toEqual([0, 0, 0, 0, 0, 0]);
    vi.restoreAllMocks();
  });

  test.each([
    ["21", 0],
    ["20", 1],
    ["0", 1],
  ])("by headers, with %s of 100 left", async (left, count) => {
    const headers = { "ratelimit-limit": "100", "ratelimit-remaining": left };
    expect(await told(1, undefined, headers)).toEqual([count]);
  });

  test("where a provider documents how many it takes, its registration says it", () => {
    const quotaOf = (profile: string) => registrationOf(profile).quotaOf?.(profile)?.callsPerMinute;
    expect(["inter", "pagarme", "bacen", "asaas"].map(quotaOf)).toEqual([120, 200, undefined, undefined]);
  });
});
