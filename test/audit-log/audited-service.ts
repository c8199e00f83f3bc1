import { createClient } from "@connectrpc/connect";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { asUser } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { Users } from "../support/users.ts";

/** A webhook's address, which needs no look-up. */
export const HOOK = "https://93.184.215.14/hook";

/** Starts a service whose audit log a file's tests look at, with those who change something there. */
export async function auditedService() {
  const service = await forFile(startService());
  return {
    service,
    rows: await forFile(new DatabaseRows(service.databaseUrl).open()),
    users: new Users(service),
    identity: createClient(IdentityService, service.core.transport),
    asUser: (options = service.internal) => asUser(options),
  };
}
