import { toJsonString, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import fc from "fast-check";
import { Health } from "#schemas/grpc/health/v1/health_pb.js";
import { CORE_SERVICES } from "../../../../src/rooms.ts";
import { unaryMethods } from "../../../../test/support/grpc-client.ts";
import { createMerchant } from "../../../../test/support/merchant.ts";
import { requireNoFault } from "../faults.ts";
import { casesOf, Mismatch, type Part } from "../part.ts";
import { CoreCalls, CLIENT_KINDS, type ClientKind } from "./calls.ts";
import { messagesOf } from "./messages.ts";

// What no input may bring about: a failure of the service's own, or one that it has no word for.
const OURS = new Set(["internal", "unknown", "data_loss", "500", "502", "503", "504"]);
const METHODS = unaryMethods([...CORE_SERVICES, Health]);

// Most name a tenant that there is: what only asks for one is soon asked for.
const CALLERS = ["tenant", "tenant", "tenant", "tenant", "tenant", "tenant", "none", "unknown"] as const;

/** A call of the core as it is drawn. */
interface CallDraw {
  readonly method: DescMethodUnary;
  readonly message: Message;
  readonly kind: ClientKind;
  readonly damage: Damage;
  readonly caller: "tenant" | "none" | "unknown";
}

type Damage =
  | { readonly kind: "byte"; readonly at: number; readonly byte: number }
  | { readonly kind: "cut" | "doubled"; readonly at: number }
  | { readonly kind: "other"; readonly bytes: Uint8Array };

const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.record({ kind: fc.constant("byte" as const), at: fc.nat(), byte: fc.nat({ max: 255 }) }),
  fc.record({ kind: fc.constantFrom("cut" as const, "doubled" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("other" as const), bytes: fc.uint8Array({ maxLength: 60 }) }),
);

/** Every unary RPC in gRPC, gRPC-Web and Connect, with random messages and with broken ones. */
export const CORE: Part = {
  name: "core",
  share: 30,
  prepare: async (target, tally) => {
    const { service } = target;
    const merchant = await createMerchant(service);
    const paid = JSON.parse((await merchant.pay()).text) as { id: string; link_id: string };
    const ids = [
      merchant.tenant.id,
      merchant.tenant.legalEntityId,
      paid.id,
      paid.link_id,
      await merchant.newLink(),
    ];
    const calls = new CoreCalls(target.core);
    const drawn = fc.constantFrom(...METHODS).chain((method): fc.Arbitrary<CallDraw> =>
      fc.record({
        method: fc.constant(method),
        message: messagesOf(method.input, ids),
        kind: fc.constantFrom(...CLIENT_KINDS),
        damage: damages,
        caller: fc.constantFrom(...CALLERS),
      }),
    );
    let count = 0;
    const run = async ({ method, message, kind, damage, caller }: CallDraw): Promise<void> => {
      const headers = { ...headersOf(caller, merchant.as.headers), "idempotency-key": `core-${++count}` };
      const code = await calls.call(kind, method, message, (bytes) => damaged(bytes, damage), headers);
      tally.add(code === "ok" ? "taken" : OURS.has(code) ? "failed" : "refused");
      requireNoFault(target);
      if (OURS.has(code)) {
        const name = `${method.parent.typeName}/${method.name}`;
        throw new Mismatch(`${name} by ${kind} came to ${code}: ${toJsonString(method.input, message)}`);
      }
    };
    return casesOf(fc.noBias(drawn.map((draw) => shownAs(draw))), run, () => Promise.resolve(calls.close()));
  },
};

/** A draw whose counterexample is read as JSON, not as a descriptor. */
function shownAs(draw: CallDraw): CallDraw {
  const { method, message, ...rest } = draw;
  const text = `${method.name} ${JSON.stringify(rest)} ${toJsonString(method.input, message)}`;
  return { ...draw, [fc.toStringMethod]: () => text } as CallDraw;
}

function headersOf(
  caller: CallDraw["caller"],
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const { authorization = "" } = headers;
  if (caller === "none") return { authorization };
  const unknown = { "paylink-tenant": "ten_01k5e8zj7qf4x9r2m3n6p8s0tv" };
  return { ...headers, ...(caller === "unknown" ? unknown : {}) };
}

function damaged(bytes: Buffer, damage: Damage): Buffer {
  switch (damage.kind) {
    case "byte": {
      const changed = Buffer.from(bytes);
      if (changed.length > 0) changed[damage.at % changed.length] = damage.byte;
      return changed;
    }
    case "cut":
      return bytes.subarray(0, bytes.length === 0 ? 0 : damage.at % bytes.length);
    case "doubled":
      return Buffer.concat([bytes, bytes]);
    case "other":
      return Buffer.from(damage.bytes);
  }
}
