import type { ServiceImpl } from "@connectrpc/connect";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { AuditEntry } from "../platform/rpc/audit-entry.ts";
import { auditOf, NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { insert } from "../platform/write/change.ts";
import type { IdentityDeps } from "./deps.ts";

type Rpcs = Pick<ServiceImpl<typeof IdentityService>, "rotateDataKey">;

/** The RPC of the data key. */
export function dataKeyRpcs({ identity, dataKeys }: IdentityDeps): Rpcs {
  return {
    rotateDataKey: async (_request, context) => {
      const { formerKeyCount } = dataKeys;
      const { rowCount, isComplete } = await dataKeys.rotate();
      const entry = auditOf(context)?.entry({
        objectId: "",
        details: { rows: rowCount, is_complete: isComplete },
      });
      if (entry) await identity.committer.commit([insert(AuditEntry, entry)], NO_ENTRY);
      return { rowCount: BigInt(rowCount), formerKeyCount, isComplete };
    },
  };
}
