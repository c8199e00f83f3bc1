import pg from "pg";
import { expect, test, vi } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const PAYMENTS = 3;
const MARK = "read by no page";

const service = await forFile(startService());

test("a payer's page parses the metadata of no link and of no payment, which anyone can ask for again and again", async () => {
  const merchant = await createMerchant(service);
  const metadata = { long: Array.from({ length: 200 }, (_, number) => `${MARK} ${number}`) };
  const linkId = await merchant.newLink({ campaign: true, metadata });
  const payer = new Payer(service, linkId);
  await payer.open();
  for (let count = 0; count < PAYMENTS; count++) {
    await payer.start();
    await payer.simulate(SandboxAction.DECLINE);
  }
  const { paymentId } = await payer.start();
  // The driver has its own JSON.parse. The ORM writes what it maps again.
  const [parse, write] = [vi.spyOn(JSON, "parse"), vi.spyOn(JSON, "stringify")];
  const url = `/pay/${linkId}/${payer.sessionId}`;
  for (const address of [url, `${url}/status`, `/pay/${linkId}`])
    expect((await service.gateway.inject({ url: address })).statusCode).toBe(200);
  const texts = [
    ...parse.mock.calls.map(([text]) => text),
    ...write.mock.results.map(({ value }) => String(value)),
  ];
  vi.restoreAllMocks();
  const read = vi.spyOn(pg.Pool.prototype, "query");
  await service.gateway.inject({ url: `${url}/status` });
  const queries = read.mock.calls.map(([query]) => JSON.stringify(query));
  vi.restoreAllMocks();
  const ofCharges = queries.filter((text) => text.includes("charges of a session"));
  expect(ofCharges.length).toBeGreaterThan(0);
  expect(ofCharges.filter((text) => text.includes("metadata"))).toEqual([]);
  expect(texts.filter((text) => text.includes(MARK))).toEqual([]);
  await payer.simulate(SandboxAction.APPROVE);
  expect((await merchant.api.get(`/v1/payments/${paymentId}`)).body).toMatchObject({ metadata });
});
