import { expect, test } from "vitest";
import { Metrics } from "../../cli/observe/metrics.ts";
import type { ChargeAlteration, Fault } from "../../tools/bank/faults.ts";
import { watchedProvider } from "../../src/provider-accounts/watched-provider.ts";
import type { PixProvider } from "../../src/providers/ports.ts";
import { ProviderFault } from "../../src/providers/provider-fault.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { advance, connectMerchant, startLive } from "./live-merchant.ts";

const counted: string[] = [];
const metrics = new Metrics("worker", "1");
const live = await forFile(
  startLive({
    observer: {
      callEnded: () => undefined,
      attemptEnded: () => undefined,
      providerFailed: (failure) => {
        counted.push(`${failure.mode} ${failure.kind}`);
        metrics.providers.failed(failure);
      },
    },
  }),
);
const merchant = await connectMerchant(live);
const rows = await forFile(new DatabaseRows(live.service.databaseUrl).open());

const altered = (alteration: ChargeAlteration): Fault => ({ kind: "charge", alteration });

test.each<[string, Fault, string]>([
  ["a code with a wrong checksum", altered("wrong_crc"), "wrong"],
  ["a code of another amount", altered("wrong_amount_in_code"), "wrong"],
  ["an answer about another charge", altered("other_txid"), "wrong"],
  ["an answer that is lost", { kind: "lost" }, "unknown"],
  ["a bank that is busy", { kind: "busy", retryAfter: null }, "busy"],
])("%s is counted as a failure", async (_, fault, kind) => {
  counted.length = 0;
  live.bank.fail("createCharge", fault);
  await merchant.start();
  expect(counted).toEqual([`live ${kind}`]);
  expect(await metrics.registry.metrics()).toContain(
    `paylink_provider_failures_total{mode="live",kind="${kind}"}`,
  );
  live.service.faults.length = 0;
});

test("a statement without end is counted as a wrong answer", async () => {
  counted.length = 0;
  live.bank.fail("statement", { kind: "endless", rows: 1, pages: 1_000_000 }, 100);
  advance(live, 120);
  const swept = live.providers.sweepProviderAccount({ id: merchant.accountId }, merchant.as);
  await expect(swept).rejects.toMatchObject({ name: "ConnectError" });
  expect(counted).toEqual(["live wrong"]);
  live.bank.faults.clear();
  live.service.faults.length = 0;
});

test("a row that cannot be read and a return of too much are wrong answers, and the other money counts", async () => {
  await rows.run("UPDATE live.charge SET is_open = false");
  counted.length = 0;
  const { paymentId, reference } = await merchant.start();
  const { answer = "" } = live.bank.requests.findLast(({ call }) => call === "createCharge") ?? {};
  const at = new Date(live.bank.clock.nowMs()).toISOString();
  const back = { id: "D1", valor: "159.91", horario: { solicitacao: at }, status: "DEVOLVIDO" };
  const row = {
    endToEndId: `E${reference}`,
    txid: reference,
    valor: "159.90",
    horario: at,
    devolucoes: [back],
  };
  const pix = [{ ...row, valor: "0.00" }, row];
  const text = JSON.stringify({ ...(JSON.parse(answer) as object), pix });
  live.bank.fail("readCharge", { kind: "text", status: 200, text });
  advance(live, 60);
  await live.service.core.tasks.checkCharges();
  expect(await merchant.status(paymentId)).toBe("succeeded");
  expect(counted).toEqual(["live wrong", "live wrong"]);
  expect(live.service.faults).toEqual([
    { account_id: merchant.accountId, count: 1 },
    { mode: "live", payment_id: paymentId, count: 1 },
  ]);
  live.service.faults.length = 0;
});

test.each([
  ["unreadable", "wrong"],
  ["shifting_pages", "wrong"],
  ["statement_too_large", "wrong"],
  ["answer_too_large", "wrong"],
  ["another", "unknown"],
])("an answer with the code %s is counted as %s", async (code, expected) => {
  const kinds: string[] = [];
  const failing = new Proxy({} as PixProvider, {
    get: () => () => {
      throw new ProviderFault("unknown", "a failure", { code });
    },
  });
  const watched = watchedProvider(failing, (kind) => kinds.push(kind));
  await expect(watched.cancel("reference")).rejects.toThrow("a failure");
  expect(kinds).toEqual([expected]);
});

test("the standing has the first certificate's end, and up to when statements were read", async () => {
  const { certificateEndsAt, sweptTo, unknownCount } = await live.service.core.providerStanding();
  expect(certificateEndsAt?.getTime()).toBeGreaterThan(Date.now());
  expect(unknownCount).toBe(0);
  advance(live, 3700);
  await live.service.core.tasks.sweepProviders();
  const after = await live.service.core.providerStanding();
  expect(after.sweptTo?.getTime()).toBeGreaterThan(sweptTo?.getTime() ?? 0);
  metrics.providers.set("live", after);
  const text = await metrics.registry.metrics();
  expect(text).toContain(`paylink_provider_swept_to_timestamp_seconds{mode="live"} `);
  expect(text).toContain(`paylink_provider_certificate_end_timestamp_seconds{mode="live"} `);
  expect(text).toContain(`paylink_provider_recent_returns_by_others{mode="live"} 0\n`);
  expect(text).toContain(`paylink_provider_recent_unknown_references{mode="live"} 0\n`);
  metrics.providers.set("live", { ...after, certificateEndsAt: null, sweptTo: null });
  expect(await metrics.registry.metrics()).not.toContain(`swept_to_timestamp_seconds{mode`);
});

test("the standing has a bank's own return for six hours", async () => {
  const { reference } = await merchant.start();
  const { endToEndId } = live.bank.pay(reference, 15_990n);
  live.bank.returnByBank(endToEndId, 1000n);
  advance(live, 60);
  await live.service.core.tasks.checkCharges();
  expect((await live.service.core.providerStanding()).returnCount).toBe(1);
  advance(live, 6 * 3600);
  expect((await live.service.core.providerStanding()).returnCount).toBe(0);
});

test("the standing has no sweep and no certificate of a retired account", async () => {
  await live.providers.retireProviderAccount({ id: merchant.accountId }, merchant.as);
  const { certificateEndsAt, sweptTo } = await live.service.core.providerStanding();
  expect({ certificateEndsAt, sweptTo }).toEqual({ certificateEndsAt: null, sweptTo: null });
});
