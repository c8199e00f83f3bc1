import { expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { shareOf } from "../../src/checkout/open-sessions.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/limits-config.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { codeOf } from "../support/refusal.ts";
import { secondService, startService } from "../support/service.ts";
import { FORM } from "./page-caller.ts";

const OPEN_MAX = 12;
const quotas = { ...DEFAULT_QUOTAS, openSessionsPerLink: OPEN_MAX };
const service = await forFile(startService("direct", { quotas }));
const second = await forFile(secondService(service, { quotas }));
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const SERVICES = [service, { ...second, internal: service.internal }] as const;
const [one, other] = SERVICES;

const newLink = async () => await merchant.newLink({ campaign: true, payment_methods: ["pix"] });
const countOf = async (linkId: string) =>
  await rows.count("test.checkout_session WHERE link_id = $1", [linkId]);
const pageFrom = async ({ gateway }: (typeof SERVICES)[number], linkId: string, remoteAddress: string) =>
  await gateway.inject({
    method: "POST",
    url: `/pay/${linkId}/sessions`,
    headers: { ...FORM, "accept-language": "en" },
    payload: "",
    remoteAddress,
  });
const openFrom = async (at: (typeof SERVICES)[number], linkId: string, neighbourhood?: string) =>
  await codeOf(new Payer(at, linkId, neighbourhood).open());

/** Opens as many sessions of one neighbourhood as make the link full, at both services in turn. */
async function fill(linkId: string, neighbourhood: string): Promise<void> {
  for (let count = await countOf(linkId); count < OPEN_MAX; count++) {
    expect(await openFrom(count % 2 === 0 ? one : other, linkId, neighbourhood)).toBe("ok");
  }
}

test("one /48 that fills a link by two gateways is 429 at both; payers of other networks are let in", async () => {
  const linkId = await newLink();
  for (let count = 0; count < OPEN_MAX; count++) {
    const address = `2001:db8:7:${count}::1`;
    expect((await pageFrom(count % 2 === 0 ? one : other, linkId, address)).statusCode).toBe(303);
  }
  for (const at of SERVICES) {
    const refused = await pageFrom(at, linkId, "2001:db8:7:ffff::1");
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "60"]);
    expect(refused.body).toContain("Too many requests for now");
  }
  expect(await countOf(linkId)).toBe(OPEN_MAX);
  for (const [at, address] of [
    [one, "198.51.100.7"],
    [other, "2001:db8:8::1"],
    [one, "203.0.113.7"],
    [other, "192.0.2.7"],
  ] as const) {
    expect((await pageFrom(at, linkId, address)).statusCode).toBe(303);
  }
});

test("a newcomer's neighbourhood of a full link has a few sessions, by all cores together", async () => {
  const linkId = await newLink();
  await fill(linkId, "filled");
  for (const at of [one, other, one]) expect(await openFrom(at, linkId, "new")).toBe("ok");
  for (const at of SERVICES) {
    for (const refused of ["new", "filled", undefined, ""]) {
      expect(await openFrom(at, linkId, refused)).toBe("quota_exceeded");
    }
    expect(await openFrom(at, linkId, "newer")).toBe("ok");
  }
});

test("twice as many are the most; room comes with time", async () => {
  const linkId = await newLink();
  await fill(linkId, "filled");
  for (let count = OPEN_MAX; count < 2 * OPEN_MAX; count++) {
    expect(await openFrom(other, linkId, `new ${count}`)).toBe("ok");
  }
  for (const at of SERVICES) expect(await openFrom(at, linkId, "one more")).toBe("quota_exceeded");
  expect(await countOf(linkId)).toBe(2 * OPEN_MAX);
  service.clock.advance(900);
  expect(await openFrom(one, linkId, "filled")).toBe("ok");
});

test("open sessions of a full link go on, and their payments succeed", async () => {
  const linkId = await newLink();
  const [waiting, paying] = [new Payer(one, linkId, "filled"), new Payer(one, linkId, "filled")];
  await waiting.open();
  await paying.open();
  const { paymentId } = await paying.start();
  await fill(linkId, "filled");
  for (let count = 0; count < OPEN_MAX; count++) await openFrom(one, linkId, `new ${count}`);
  expect(await openFrom(one, linkId, "filled")).toBe("quota_exceeded");
  expect(await waiting.session()).toMatchObject({ isOpen: true });
  expect((await waiting.start()).paymentId).toMatch(/^pay_/);
  await paying.simulate(SandboxAction.APPROVE);
  expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body.status).toBe("succeeded");
});

test("a payer's network is kept as a hash of its link alone, and not for longer than a day", async () => {
  const links = [await newLink(), await newLink()];
  for (const linkId of links) await pageFrom(one, linkId, "198.51.100.77");
  const hashes = async () =>
    await rows.read(
      "SELECT neighbourhood_hash AS hash FROM test.checkout_session WHERE link_id = ANY ($1) AND neighbourhood_hash <> ''",
      [links],
    );
  const kept = (await hashes()).map(({ hash }) => String(hash));
  expect(kept).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}$/)]);
  expect(kept[0]).not.toBe(kept[1]);
  expect(await rows.texts("test")).not.toContain("198.51.100");
  const payer = new Payer(one, links[0] ?? "", "of a payment");
  await payer.open();
  await payer.start();
  service.clock.advance(900);
  await service.core.tasks.removePast();
  expect(await hashes()).toHaveLength(3);
  service.clock.advance(86_400);
  await service.core.tasks.removePast();
  expect(await hashes()).toEqual([]);
  expect((await payer.session()).id).toBe(payer.sessionId);
});

test("the share shrinks with the places that are left, to a few, and to no session at the bound", () => {
  const shares = [10_000, 15_000, 19_000, 19_999, 20_000, 20_001].map((open) => shareOf(open, 10_000));
  expect(shares).toEqual([200, 100, 20, 3, 0, 0]);
});
