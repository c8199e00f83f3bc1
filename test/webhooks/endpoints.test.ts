import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, test } from "vitest";
import { WebhookEndpointStatus } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { OF_PAYMENTS, startReceiver, verified } from "../support/receiver.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const URL_A = "https://93.184.215.14/hook";
const UNKNOWN = "we_01jd0000000000000000000000";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());

describe("endpoints", () => {
  test("are created, listed oldest first, changed, disabled, enabled and deleted", async () => {
    const { webhooks, as } = await createMerchant(service);
    const first = await webhooks.createWebhookEndpoint({ url: URL_A }, as);
    const eventTypes = { values: ["link.expired", "payment.failed"] };
    const second = await webhooks.createWebhookEndpoint({ url: `${URL_A}?b=1`, eventTypes }, as);
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(second.secret).not.toBe(first.secret);
    const [id = "", otherId = ""] = [first.endpoint?.id, second.endpoint?.id];
    expect(id).toMatch(/^we_[0-9a-z]{26}$/);
    const listed = (await webhooks.listWebhookEndpoints({}, as)).endpoints;
    expect(listed).toEqual([first.endpoint, second.endpoint]);
    expect(listed[1]).toMatchObject({ url: `${URL_A}?b=1`, eventTypes: ["link.expired", "payment.failed"] });

    const changed = await webhooks.updateWebhookEndpoint({ id: otherId, eventTypes: { values: [] } }, as);
    expect(changed.endpoint).toMatchObject({ url: `${URL_A}?b=1`, eventTypes: [] });
    const moved = await webhooks.updateWebhookEndpoint({ id: otherId, url: "https://93.184.215.14/c" }, as);
    expect(moved.endpoint).toMatchObject({ url: "https://93.184.215.14/c", eventTypes: [] });

    const disabled = await webhooks.disableWebhookEndpoint({ id }, as);
    expect(disabled.endpoint).toMatchObject({
      status: WebhookEndpointStatus.DISABLED,
      disabledReason: "manual",
    });
    expect((await webhooks.disableWebhookEndpoint({ id }, as)).endpoint).toEqual(disabled.endpoint);
    expect((await webhooks.enableWebhookEndpoint({ id }, as)).endpoint).toEqual(first.endpoint);

    await webhooks.deleteWebhookEndpoint({ id }, as);
    expect((await webhooks.listWebhookEndpoints({}, as)).endpoints.map((item) => item.id)).toEqual([otherId]);
    await expect(webhooks.enableWebhookEndpoint({ id }, as)).rejects.toThrow("no such webhook endpoint");
  });

  test("have a description and metadata of the merchant's, omitted where not given", async () => {
    const { api } = await createMerchant(service);
    const texts = { description: "The shop's orders", metadata: { team: "orders", n: [1, null] } };
    const plain = await api.post("/v1/webhook_endpoints", { url: URL_A, description: "", metadata: {} });
    const made = await api.post("/v1/webhook_endpoints", { url: URL_A, ...texts });
    expect([made.status, made.body]).toMatchObject([201, texts]);
    expect(Object.keys(plain.body)).not.toContain("description");
    expect(Object.keys(plain.body)).not.toContain("metadata");
    const path = `/v1/webhook_endpoints/${made.body.id}`;
    const { secret: _secret, ...shown } = made.body;
    expect((await api.get(path)).body).toEqual(shown);
    expect((await api.get("/v1/webhook_endpoints")).body.data[1]).toEqual(shown);

    expect((await api.post(path, { url: `${URL_A}/b` })).body).toMatchObject(texts);
    const changed = await api.post(path, { description: "Returns", metadata: { team: "returns" } });
    expect(changed.body).toMatchObject({ description: "Returns", metadata: { team: "returns" } });
    const removed = await api.post(path, { description: "", metadata: {} });
    expect([removed.body.description, removed.body.metadata]).toEqual([undefined, undefined]);
  });

  test.each([
    [{ description: "x".repeat(256) }, "invalid_request", "description"],
    [{ description: "4111 1111 1111 1111" }, "invalid_request", "description"],
    [{ metadata: { svc_a: 1 } }, "reserved_metadata_key", "svc_a"],
    [
      { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [n, n])) },
      "invalid_request",
      "metadata",
    ],
  ])("refuse %j when they are made and changed", async (texts, code, param) => {
    const { api } = await createMerchant(service);
    const { body } = await api.post("/v1/webhook_endpoints", { url: URL_A });
    for (const path of ["/v1/webhook_endpoints", `/v1/webhook_endpoints/${body.id}`]) {
      const refused = await api.post(path, { url: URL_A, ...texts });
      expect(refused.body.error).toMatchObject({ code, param });
    }
  });

  test("changes of different things at the same time are all kept", async () => {
    const { webhooks, as } = await createMerchant(service);
    const { endpoint } = await webhooks.createWebhookEndpoint({ url: URL_A }, as);
    const id = endpoint?.id ?? "";
    for (let time = 0; time < 20; time++) {
      const url = `${URL_A}/${time}`;
      const eventTypes = { values: time % 2 === 0 ? ["link.expired"] : [] };
      await Promise.all([
        webhooks.updateWebhookEndpoint({ id, url }, as),
        webhooks.updateWebhookEndpoint({ id, eventTypes }, as),
        webhooks.rotateWebhookSecret({ id }, as).catch(() => undefined),
        time % 2 === 0
          ? webhooks.disableWebhookEndpoint({ id }, as)
          : webhooks.enableWebhookEndpoint({ id }, as),
      ]);
      const status = time % 2 === 0 ? WebhookEndpointStatus.DISABLED : WebhookEndpointStatus.ENABLED;
      const [listed] = (await webhooks.listWebhookEndpoints({}, as)).endpoints;
      expect(listed).toMatchObject({ url, eventTypes: eventTypes.values, status });
    }
  });

  test("20 at most in each mode", async () => {
    const { webhooks, as } = await createMerchant(service);
    for (let count = 0; count < 20; count++) await webhooks.createWebhookEndpoint({ url: URL_A }, as);
    const failure = await refusalOf(webhooks.createWebhookEndpoint({ url: URL_A }, as));
    expect(failure).toMatchObject({ status: "ResourceExhausted", code: "quota_exceeded" });
    expect(failure?.message).toContain("at most 20 webhook endpoints in each mode: delete one first");
    const crowd = await createMerchant(service);
    const creations = Array.from({ length: 30 }, () =>
      webhooks.createWebhookEndpoint({ url: URL_A }, crowd.as),
    );
    const results = await Promise.allSettled(creations);
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(20);
    const live = { headers: { ...as.headers, "paylink-mode": "live" } };
    expect((await webhooks.createWebhookEndpoint({ url: URL_A }, live)).secret).toMatch(/^whsec_/);
  });

  test("of another tenant or mode are unknown to every RPC", async () => {
    const owner = await createMerchant(service);
    const { endpoint } = await owner.webhooks.createWebhookEndpoint({ url: URL_A }, owner.as);
    const id = endpoint?.id ?? "";
    const inLive = { headers: { ...owner.as.headers, "paylink-mode": "live" } };
    const since = { seconds: 0n, nanos: 0 };
    for (const as of [merchant.as, inLive]) {
      const { webhooks } = merchant;
      for (const asked of [id, UNKNOWN, "nonsense", ""]) {
        const attempts = await Promise.allSettled([
          webhooks.updateWebhookEndpoint({ id: asked }, as),
          webhooks.disableWebhookEndpoint({ id: asked }, as),
          webhooks.enableWebhookEndpoint({ id: asked }, as),
          webhooks.rotateWebhookSecret({ id: asked }, as),
          webhooks.deleteWebhookEndpoint({ id: asked }, as),
          webhooks.resendFailedEvents({ endpointId: asked, since }, as),
        ]);
        for (const attempt of attempts) {
          expect(attempt).toMatchObject({
            reason: { rawMessage: expect.stringContaining("no such webhook endpoint") },
          });
        }
      }
    }
    expect((await owner.webhooks.listWebhookEndpoints({}, owner.as)).endpoints).toEqual([endpoint]);
  });

  test.each([
    [["payment.fees_acknowledged"]],
    [["payment.paid"]],
    [["link.expired", "link.expired"]],
    [[""]],
  ])("event types %j are refused", async (values) => {
    const request = { url: URL_A, eventTypes: { values } };
    await expect(merchant.webhooks.createWebhookEndpoint(request, merchant.as)).rejects.toThrow(
      /event_types/,
    );
  });
});

describe("secrets", () => {
  test("for 24 hours after a rotation deliveries carry both signatures, then the new one alone", async () => {
    const { webhooks, as, pay } = await createMerchant(service);
    const receiver = await startReceiver();
    const { endpoint, secret: former } = await webhooks.createWebhookEndpoint(
      { url: receiver.url, eventTypes: OF_PAYMENTS },
      as,
    );
    const rotated = await webhooks.rotateWebhookSecret({ id: endpoint?.id ?? "" }, as);
    const expiry = Number(rotated.endpoint?.previousSecretExpiresAt?.seconds ?? 0n) * 1000;
    expect(expiry - service.clock.nowMs()).toBeGreaterThan(86_390_000);
    expect(expiry - service.clock.nowMs()).toBeLessThanOrEqual(86_400_000);
    await pay();
    const [first] = await receiver.until(1);
    expect(String(first?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
    for (const secret of [former, rotated.secret])
      expect(verified(first as never, secret).type).toBe("payment.succeeded");

    service.clock.advance(86_400);
    await pay();
    const [, second] = await receiver.until(2);
    service.clock.advance(-86_400);
    expect(String(second?.headers["webhook-signature"]).split(" ")).toHaveLength(1);
    // Its time is a day ahead of the verifier's clock, so the signature is made again with each secret.
    const signedAt = new Date(Number(second?.headers["webhook-timestamp"]) * 1000);
    const signed = (secret: string): string =>
      new Webhook(secret).sign(String(second?.headers["webhook-id"]), signedAt, second?.text ?? "");
    expect(second?.headers["webhook-signature"]).toBe(signed(rotated.secret));
    expect(signed(former)).not.toBe(signed(rotated.secret));
    const [listed] = (await webhooks.listWebhookEndpoints({}, as)).endpoints;
    expect(listed?.url).toBe(receiver.url);
    await receiver.close();
  });

  test("rotated again within the 24 hours: every secret signs to its own end; five times at most", async () => {
    const { webhooks, as, pay } = await createMerchant(service);
    const receiver = await startReceiver();
    const made = await webhooks.createWebhookEndpoint({ url: receiver.url, eventTypes: OF_PAYMENTS }, as);
    const id = made.endpoint?.id ?? "";
    const secrets = [made.secret];
    for (let time = 0; time < 5; time++)
      secrets.push((await webhooks.rotateWebhookSecret({ id }, as)).secret);
    await expect(webhooks.rotateWebhookSecret({ id }, as)).rejects.toThrow("at most 5 times");
    await pay();
    const [received] = await receiver.until(1);
    for (const secret of secrets) expect(verified(received as never, secret).type).toBe("payment.succeeded");
    await receiver.close();
  });

  test("are encrypted in the database and in no other answer", async () => {
    const { webhooks, as } = await createMerchant(service);
    const { endpoint, secret } = await webhooks.createWebhookEndpoint({ url: URL_A }, as);
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const at = (column: string) =>
      rows.count(`test.webhook_endpoint WHERE id = $1 AND strpos(${column}, $2) > 0`, [
        endpoint?.id,
        secret.slice(6),
      ]);
    expect(await at("sealed_secret")).toBe(0);
    expect(
      await rows.count("test.webhook_endpoint WHERE sealed_secret LIKE 'eyJ%' AND id = $1", [endpoint?.id]),
    ).toBe(1);
    expect(
      await rows.count("test.idempotency WHERE strpos(encode(response, 'escape'), $1) > 0", ["whsec_"]),
    ).toBe(0);
    await rows.close();
    const answers = [
      await webhooks.listWebhookEndpoints({}, as),
      await webhooks.disableWebhookEndpoint({ id: endpoint?.id ?? "" }, as),
    ];
    expect(
      JSON.stringify(answers, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
    ).not.toContain("whsec_");
  });
});

test("signatures are those that the specification of Standard Webhooks has worked out", async () => {
  const { signatureHeaders } = await import("../../src/webhooks/signature.ts");
  const body = Buffer.from('{"test": 2432232314}');
  const headers = signatureHeaders(
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    body,
    ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    new Date(1_614_265_330_000),
  );
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});
