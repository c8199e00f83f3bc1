import type { LookupFunction } from "node:net";
import type { Mode } from "../platform/caller.ts";
import type { Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { Encryption } from "../platform/encryption.ts";
import type { Operations } from "../platform/operation.ts";
import type { AddressPolicy } from "../platform/outside-address.ts";
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
