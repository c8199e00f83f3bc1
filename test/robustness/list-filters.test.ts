import { ScalarType, type DescField, type DescMethodUnary } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { createMerchant } from "../support/merchant.ts";
import { startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const LISTS = CORE_SERVICES.flatMap((service) =>
  service.methods
    .filter(({ name, methodKind }) => methodKind === "unary" && /^(?:List|Search|Summarize)/.test(name))
    .map((method) => ({ service, method: method as DescMethodUnary })),
);

/** A value that the field takes. */
function sampleOf({ localName, ...field }: DescField, known: Readonly<Record<string, string>>): unknown {
  if (field.fieldKind === "list") return [];
  if (field.fieldKind === "enum") return field.enum.values.at(1)?.number;
  if (field.fieldKind === "message") {
    return field.message.typeName === "google.protobuf.Timestamp" ? { seconds: 1_700_000_000n } : {};
  }
  if (field.fieldKind === "scalar" && field.scalar === ScalarType.BOOL) return true;
  if (field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING) return 1;
  return known[localName] ?? "2026-01-31";
}

/** Every choice of them, none and all too. */
function* choicesOf<T>(items: readonly T[]): Generator<T[]> {
  for (let bits = 0; bits < 2 ** items.length; bits++)
    yield items.filter((_, index) => (bits >> index) % 2 === 1);
}

test("every list answers under every choice of its filters, on one connection", async () => {
  const service = await startService();
  const merchant = await createMerchant(service);
  const receiver = await startReceiver();
  await merchant.webhooks.createWebhookEndpoint({ url: receiver.url }, merchant.as);
  await merchant.pay();
  const { deliveries } = await merchant.webhooks.listDeliveries({}, merchant.as);
  expect(deliveries.length).toBeGreaterThan(0);
  const [delivery] = deliveries;
  const known = {
    tenantId: merchant.tenant.id,
    eventId: delivery?.eventId ?? "",
    endpointId: delivery?.endpointId ?? "",
    deliveryId: delivery?.id ?? "",
    eventType: delivery?.eventType ?? "",
    startingAfter: delivery?.id ?? "",
  };
  const counts: Record<string, number> = {};
  const failed: string[] = [];
  for (const { service: schema, method } of LISTS) {
    const client = createClient(schema, service.core.transport);
    const list = (client as Record<string, (...given: unknown[]) => Promise<unknown>>)[method.localName];
    const required = method.input.fields.filter(
      ({ presence }) => presence === FeatureSet_FieldPresence.IMPLICIT,
    );
    const optional = method.input.fields.filter(
      (field) => !required.includes(field) && field.fieldKind !== "list",
    );
    counts[method.name] = 0;
    for (const chosen of choicesOf(optional)) {
      const request = Object.fromEntries(
        [...required, ...chosen].map((field) => [field.localName, sampleOf(field, known)]),
      );
      try {
        await list?.(request, merchant.as);
        counts[method.name]! += 1;
      } catch (error) {
        const { code, rawMessage } = ConnectError.from(error);
        if ([Code.Internal, Code.Unknown, Code.Unavailable].includes(code))
          failed.push(`${method.name} ${rawMessage}`);
      }
    }
  }
  expect(failed).toEqual([]);
  console.info(counts);
  // 2 to the power of its nine fields.
  expect(counts["ListDeliveries"]).toBe(512);
  await receiver.close();
  await service.close();
});
