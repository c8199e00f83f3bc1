import { expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/config/limits-config.ts";
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
const open = async (at: (typeof SERVICES)[number], linkId: string) =>
  await codeOf(new Payer(at, linkId).open());

/** Opens as many sessions as make the link full, at both services in turn. */
async function fill(linkId: string): Promise<void> {
  for (let count = await countOf(linkId); count < OPEN_MAX; count++) {
    expect(await open(count % 2 === 0 ? one : other, linkId)).toBe("ok");
  }
}

test("a link that was filled by two gateways is 429 at both, and room comes with time", async () => {
  const linkId = await newLink();
  for (let count = 0; count < OPEN_MAX; count++) {
    const at = count % 2 === 0 ? one : other;
    expect((await pageFrom(at, linkId, `198.51.100.${count}`)).statusCode).toBe(303);
  }
  for (const at of SERVICES) {
    const refused = await pageFrom(at, linkId, "203.0.113.7");
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "60"]);
    expect(refused.body).toContain("Too many requests for now");
    expect(await open(at, linkId)).toBe("quota_exceeded");
  }
  expect(await countOf(linkId)).toBe(OPEN_MAX);
  service.clock.advance(900);
  expect((await pageFrom(one, linkId, "203.0.113.7")).statusCode).toBe(303);
});

test("open sessions of a full link go on, and their payments succeed", async () => {
  const linkId = await newLink();
  const [waiting, paying] = [new Payer(one, linkId), new Payer(one, linkId)];
  await waiting.open();
  await paying.open();
  const { paymentId } = await paying.start();
  await fill(linkId);
  expect(await open(one, linkId)).toBe("quota_exceeded");
  expect(await waiting.session()).toMatchObject({ isOpen: true });
  expect((await waiting.start()).paymentId).toMatch(/^pay_/);
  await paying.simulate(SandboxAction.APPROVE);
  expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body.status).toBe("succeeded");
});

test("nothing is kept of a payer's network, which a gateway of an earlier version still sends", async () => {
  const linkId = await newLink();
  const { client } = new Payer(one, linkId);
  const opening = { linkId, payerNeighbourhood: "198.51.100/24" };
  await client.openSession(opening, { headers: { ...service.internal.headers } });
  expect(await countOf(linkId)).toBe(1);
  expect(await rows.texts("test")).not.toContain("198.51.100");
  expect(await rows.count("test.checkout_session WHERE neighbourhood_hash <> ''", [])).toBe(0);
});
