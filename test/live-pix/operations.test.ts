import { lookup } from "node:dns";
import { describe, expect, test } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { createLog } from "../../cli/observe/log.ts";
import { CLIENT, KEY } from "../api-pix/connected.ts";
import { Api } from "../support/api.ts";
import { forFile } from "../support/for-file.ts";
import { codeOf } from "../support/refusal.ts";
import { secondService } from "../support/service.ts";
import { configAt, connectMerchant } from "../provider-accounts/live-merchant.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const CPF = "12345678909";

const scene = await forFile(Scene.start());
const { live } = scene;
const { bank, service } = live;
const merchant = await scene.merchant();
const count = (call: string, from: number): number =>
  bank.requests.slice(from).filter((request) => request.call === call).length;

describe("case 15: in operation", () => {
  test("case 15: a bank that is busy is asked again after the time that it names, and no payment fails by it", async () => {
    bank.fail("createCharge", { kind: "busy", retryAfter: "40" });
    const from = bank.requests.length;
    const { paymentId, payer } = await merchant.start();
    for (const seconds of [2, 5, 10, 15]) await scene.pass(seconds);
    expect([count("createCharge", from), await merchant.status(paymentId)]).toEqual([1, "pending"]);
    await scene.pass(10);
    expect(count("createCharge", from)).toBe(2);
    expect((await payer.session()).payment?.pixCode).toBeDefined();
  });

  test("case 15: a process that used former credentials drops them when another one rotates them", async () => {
    const rotating = { ...CLIENT };
    const own = await Scene.start({}, [rotating]);
    const [mine, second] = [
      await own.merchant(),
      await secondService(own.live.service, {
        allowLoopbackProviders: true,
        lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
      }),
    ];
    const { paymentId, reference } = await mine.start();
    own.live.bank.clock.advance(60);
    own.live.service.clock.advance(60);
    await second.core.tasks.checkCharges();
    rotating.secret = "Client_Secret_2";
    const config = configAt(own.live, { clientSecret: rotating.secret });
    await own.live.providers.rotateProviderAccount({ id: mine.accountId, config }, mine.as);
    const from = own.live.bank.requests.length;
    own.live.bank.pay(reference, 15_990n);
    // The announcement reaches the other process by the database's notification.
    await expect
      .poll(
        async () => {
          await own.rows.run("UPDATE live.charge SET check_at = created_at");
          await second.core.tasks.checkCharges();
          const asked = own.live.bank.requests.slice(from).findLast(({ call }) => call === "token");
          return asked?.headers.authorization;
        },
        { timeout: 20_000 },
      )
      .toBe(`Basic ${btoa(`${CLIENT.id}:Client_Secret_2`)}`);
    expect(await own.outcome(mine, paymentId)).toEqual(PAID_ONCE);
    await second.close();
    await own.close();
  });

  test("case 15: one tenant's account is never used for another, and a test key sees nothing of live mode", async () => {
    const other = await scene.merchant();
    const [mine, theirs] = [await merchant.start(), await other.start()];
    const [one, two] = [merchant, other].map(({ clientId }) => bank.account(clientId).charges);
    expect([one?.has(mine.reference), two?.has(mine.reference)]).toEqual([true, false]);
    expect([one?.has(theirs.reference), two?.has(theirs.reference)]).toEqual([false, true]);
    bank.pay(theirs.reference, 15_990n);
    await scene.pass(60);
    const path = `/v1/payments/${theirs.paymentId}`;
    const refused = await merchant.api.post(`${path}/refunds`, {});
    expect(refused.body.error.code).toBe("payment_not_found");
    const testing = new Api(service, other.tenant.testKey);
    expect((await testing.get(path)).status).toBe(404);
    expect((await testing.post(`${path}/refunds`, {})).status).toBe(404);
    expect(bank.account(other.clientId).money.size).toBe(1);
    const as = { headers: { ...merchant.as.headers, "paylink-mode": "test" } };
    const config = configAt(live);
    const put = live.providers.putProviderAccount({ kind: ProviderKind.PIX, profile: "bacen", config }, as);
    expect(await codeOf(put)).toBe("invalid_request");
  });

  test("case 15: secrets, tokens, payers and what a bank writes are in no log line and no stored callback", async () => {
    const lines: string[] = [];
    const log = createLog("trace", { write: (line: string) => void lines.push(line) });
    const own = await Scene.start({ log });
    const mine = await own.merchant();
    const hmac = await own.register(mine);
    const { bank: bad } = own.live;
    const tokens: string[] = [];
    for (const fault of [
      { kind: "html", status: 502 },
      { kind: "unauthorized" },
      { kind: "status", status: 500 },
      { kind: "charge", alteration: "wrong_crc" },
    ] as const) {
      bad.fail("createCharge", fault, 3);
      bad.fail("statement", { kind: "html", status: 200 });
      const { reference } = await mine.start();
      const body = { pix: [{ txid: reference, infoPagador: "Maria", pagador: { cpf: CPF, nome: "Maria" } }] };
      const url = `${mine.path}?hmac=${hmac}&ignorar=/pix`;
      const headers = { "content-type": "application/json" };
      await own.live.service.gateway.inject({ method: "POST", url, payload: JSON.stringify(body), headers });
      await own.pass(3700);
      bad.faults.clear();
    }
    for (const { call, answer } of bad.requests) {
      if (call === "token" && answer.startsWith("{")) tokens.push(JSON.parse(answer).access_token);
    }
    expect(lines.filter((line) => line.includes("ProviderFault")).length).toBeGreaterThan(3);
    expect(tokens.length).toBeGreaterThan(0);
    const stored = JSON.stringify(await own.rows.read("SELECT * FROM live.provider_callback"));
    const secrets = [CLIENT.secret, CLIENT.id, KEY, hmac, mine.path, CPF, "Maria", "Manutenção", ...tokens];
    expect(secrets.filter((secret) => lines.join("").includes(secret))).toEqual([]);
    expect([CPF, "Maria"].filter((secret) => stored.includes(secret))).toEqual([]);
    await own.close();
  });

  test("case 15: an account that is retired with open charges still counts and refunds their money", async () => {
    const mine = await connectMerchant(live);
    const { paymentId, reference } = await mine.start();
    await live.providers.retireProviderAccount({ id: mine.accountId }, mine.as);
    const money = bank.pay(reference, 15_990n);
    await scene.pass(60);
    expect(await scene.outcome(mine, paymentId)).toEqual(PAID_ONCE);
    await mine.api.post(`/v1/payments/${paymentId}/refunds`, { amount: 90 });
    bank.returnByBank(money.endToEndId, 1000n);
    for (const seconds of [15, 86_400, 86_400]) await scene.pass(seconds);
    expect(await scene.outcome(mine, paymentId)).toMatchObject({ entries: ["payment", "refund", "return"] });
  });
});
