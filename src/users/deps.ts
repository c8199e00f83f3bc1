import type { Clock } from "../platform/clock.ts";
import type { Environment } from "../platform/database.ts";
import type { Mails } from "../mail/service.ts";
import type { Encryption } from "../platform/encryption.ts";

/** What the RPCs of the room need. */
export interface UsersDeps {
  readonly identity: Environment;
  readonly clock: Clock;
  readonly encryption: Encryption;
  /** Maximum number of members and open invitations of a tenant. */
  readonly usersMax: number;
  /** Undefined: no e-mail is sent. */
  readonly mails: Mails | undefined;
}
