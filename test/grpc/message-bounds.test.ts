import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { countBinary } from "../../src/platform/grpc/element-count.ts";
import { Inbox, type Sender } from "../../src/platform/grpc/inbox.ts";
import { boundsOf } from "../../src/platform/grpc/message-bounds.ts";
import { Turns } from "../../src/platform/grpc/turns.ts";
import { refusalOf } from "../support/refusal.ts";
import { listOf } from "./raw-calls.ts";

const { createPaymentLink, getPaymentLink } = LinksService.method;
const { uploadMedia } = MediaService.method;
const MIB = 1024 * 1024;

test("elements are counted as they would be read", () => {
  const { input } = PricingService.method.putPricingRule;
  const packed = Buffer.concat([Buffer.from([0x4a, 20]), Buffer.alloc(20, 1)]);
  expect(input.fields.find(({ number }) => number === 9)?.name).toBe("surcharge_ppm");
  expect(fromBinary(input, packed).surchargePpm).toHaveLength(20);
  expect(countBinary(input, packed, 1000)).toBe(21);
  expect(countBinary(createPaymentLink.input, listOf(500), 10_000)).toBeGreaterThan(1000);
  // A list that says it is a number would hide what comes after it.
  expect(() => countBinary(createPaymentLink.input, Buffer.from([0x08 | 2, 1, 0]), 10)).toThrow(
    /another wire type/,
  );
});

test("bytes under way have a bound for each holder of tokens, and gateways have room of their own", async () => {
  const inbox = new Inbox();
  const [one, other]: [Sender, Sender] = [
    { kind: "token", owner: "ctk_a" },
    { kind: "token", owner: "ten_b" },
  ];
  const gateway = { kind: "gateway", owner: "" } as const;
  for (let mib = 0; mib < 16; mib++) inbox.take(MIB, one);
  expect(() => inbox.take(1, one)).toThrow(/not complete/);
  for (const owner of ["ctk_c", "ctk_d", "ctk_e"]) inbox.take(16 * MIB, { kind: "token", owner });
  expect(() => inbox.take(1, other)).toThrow(/not complete/);
  inbox.take(64 * MIB, gateway);
  const refused = await refusalOf(Promise.resolve().then(() => inbox.take(1, gateway)));
  expect(refused).toMatchObject({ code: "service_unavailable" });
  inbox.take(4 * MIB, { kind: "stranger", owner: "" });
  inbox.free(MIB, one);
  inbox.take(MIB, other);
});

test("large messages of a named token take turns, and too many do not wait", async () => {
  const turns = new Turns();
  await turns.take("ctk_a", 2500);
  const begun = performance.now();
  const [own, other] = [turns.take("ctk_a", 2500), turns.take("ctk_b", 2500)];
  await other;
  expect(performance.now() - begun).toBeLessThan(40);
  await own;
  expect(performance.now() - begun).toBeGreaterThan(40);
  const waiting = Array.from({ length: 8 }, () => turns.take("ctk_a", 1));
  expect(() => turns.checkRoom("ctk_a")).toThrow(/wait already/);
  turns.checkRoom("ctk_b");
  await Promise.all(waiting);
  turns.checkRoom("ctk_a");
});

test("an RPC's bounds follow from what its request can hold", () => {
  expect(boundsOf(getPaymentLink).bytes).toBe(80 * 1024);
  expect(boundsOf(createPaymentLink).bytes).toBe(128 * 1024);
  expect(boundsOf(uploadMedia).bytes).toBe(80 * 1024 + 4 * MIB);
});
