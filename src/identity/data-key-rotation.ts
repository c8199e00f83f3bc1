import type { ServiceImpl } from "@connectrpc/connect";
import type { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import type { Databases } from "../platform/db/databases.ts";
import { encryptAgain, type EncryptedColumn } from "../platform/db/encrypted-columns.ts";
import type { Encryption } from "../platform/db/encryption.ts";
import { AuditEntry } from "../platform/rpc/audit-entry.ts";
import { auditOf, NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { MODES } from "../platform/rpc/caller.ts";
import { insert } from "../platform/write/change.ts";
import type { IdentityDeps } from "./deps.ts";

type Rpcs = Pick<ServiceImpl<typeof IdentityService>, "rotateDataKey">;

const OF_TENANT = ["tenant_id", "id"] as const;

/** The columns with encrypted secrets in the schema of a mode. */
const ENVIRONMENT: readonly EncryptedColumn[] = [
  { table: "webhook_endpoint", key: OF_TENANT, column: "sealed_secret", type: "text" },
  { table: "webhook_endpoint", key: OF_TENANT, column: "former_secrets", type: "jsonb" },
  { table: "provider_account", key: OF_TENANT, column: "sealed_config", type: "text" },
  { table: "charge", key: ["tenant_id", "payment_id"], column: "sealed_payer", type: "text" },
];

/** The same in the schema `identity`. */
const IDENTITY: readonly EncryptedColumn[] = [
  { table: '"user"', key: ["id"], column: "totp_sealed", type: "text" },
  { table: "invitation", key: OF_TENANT, column: "totp_sealed", type: "text" },
  { table: "mail", key: ["id"], column: "content_sealed", type: "text" },
];

/** Without the key of this one a core does not start. */
const CHECK: EncryptedColumn = { table: "data_key_check", key: ["id"], column: "sealed", type: "text" };

/** All of them. */
export const ENCRYPTED_COLUMNS = [...ENVIRONMENT, ...IDENTITY, CHECK];

const PASSES_MAX = 20;

/** What a rotation of the data key came to. */
interface RotatedDataKey {
  readonly rowCount: number;
  /** False: another process goes on to encrypt with a former key. */
  readonly isComplete: boolean;
}

/** The RPC of the data key. */
export function dataKeyRpcs({ databases, encryption }: IdentityDeps): Rpcs {
  return {
    rotateDataKey: async (_request, context) => {
      const { formerKeyCount } = encryption;
      const { rowCount, isComplete } = await rotateDataKey(databases, encryption);
      const entry = auditOf(context)?.entry({
        objectId: "",
        details: { rows: rowCount, is_complete: isComplete },
      });
      if (entry) await databases.identity.committer.commit([insert(AuditEntry, entry)], NO_ENTRY);
      return { rowCount: BigInt(rowCount), formerKeyCount, isComplete };
    },
  };
}

/** Encrypts every secret with the present data key that a former one encrypted. */
async function rotateDataKey(databases: Databases, encryption: Encryption): Promise<RotatedDataKey> {
  let rowCount = 0;
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const found = await encryptAll(databases, encryption);
    rowCount += found;
    if (found > 0) continue;
    rowCount += await encryptAgain(databases.identity.pool, encryption, CHECK);
    return { rowCount, isComplete: true };
  }
  return { rowCount, isComplete: false };
}

async function encryptAll({ environments, identity }: Databases, encryption: Encryption): Promise<number> {
  let count = 0;
  for (const mode of MODES) {
    for (const column of ENVIRONMENT)
      count += await encryptAgain(environments[mode].pool, encryption, column);
  }
  for (const column of IDENTITY) count += await encryptAgain(identity.pool, encryption, column);
  return count;
}
