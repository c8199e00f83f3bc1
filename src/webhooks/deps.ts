import type { LookupFunction } from "node:net";
import type { Mode } from "../platform/rpc/caller.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { AddressPolicy } from "../platform/outside/outside-address.ts";
import type { JsonWriter } from "./event.ts";

/** What the room needs. */
export interface WebhooksDeps {
  readonly clock: Clock;
  readonly environments: Readonly<Record<Mode, Environment>>;
  readonly operations: Operations;
  readonly encryption: Encryption;
  readonly policies: Readonly<Record<Mode, AddressPolicy>>;
  readonly lookup: LookupFunction;
  readonly jsonWriter: JsonWriter;
}
