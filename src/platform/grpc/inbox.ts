import { Code, ConnectError } from "@connectrpc/connect";
import { Occupancy, type Holder } from "../../../contract/occupancy.ts";
import { PaylinkError, toConnectError } from "../errors.ts";
import type { CallerKind } from "./call-holder.ts";

const MIB = 1024 * 1024;
// Who has some tokens must not take the room of the gateways. Strangers may ask for little, such as for health.
const BOUNDS = {
  stranger: { all: 4 * MIB, ofOne: 4 * MIB },
  token: { all: 64 * MIB, ofOne: 16 * MIB },
  gateway: { all: 64 * MIB, ofOne: 64 * MIB },
};

/** Who sends a request. */
export interface Sender extends Holder {
  readonly kind: CallerKind;
}

/** Counts the bytes of incomplete requests: of gateways, of named tokens and of strangers apart, and of each holder of tokens. */
export class Inbox {
  readonly #held = {
    stranger: new Occupancy(BOUNDS.stranger),
    token: new Occupancy(BOUNDS.token),
    gateway: new Occupancy(BOUNDS.gateway),
  };

  /** Reserves room for arrived bytes. Error: resource_exhausted; for gateways service_unavailable. */
  take(bytes: number, sender: Sender): void {
    const held = this.#held[sender.kind];
    if (held.exceeded(sender, bytes)) throw tooMany(sender);
    held.add(sender, bytes);
  }

  free(bytes: number, sender: Sender): void {
    this.#held[sender.kind].add(sender, -bytes);
  }
}

function tooMany({ kind }: Sender): ConnectError {
  const message = "Too many requests are under way that are not complete.";
  if (kind === "gateway") return toConnectError(new PaylinkError("service_unavailable", message));
  return new ConnectError(message, Code.ResourceExhausted);
}
