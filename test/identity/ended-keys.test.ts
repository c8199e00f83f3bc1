import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const identity = createClient(IdentityService, service.core.transport);

test("keys that work are all listed, and of any number of others the latest 200", async () => {
  const { id: tenantId } = await service.createTenant();
  const create = async (more: object = {}) =>
    (await identity.createApiKey({ tenantId, mode: Mode.TEST, ...more }, service.internal)).id;
  const first = await create();
  const rows = await new DatabaseRows(service.databaseUrl).open();
  // As so many creations and ends one after the other.
  await rows.run(
    `INSERT INTO identity.api_key (tenant_id, id, name, mode, scopes, key_hash, last_four, created_at, revoked_at, expires_at, addresses)
      SELECT tenant_id, id || lpad(n::text, 4, '0'), name, mode, scopes, key_hash || n, last_four, created_at,
        CASE WHEN n % 2 = 0 THEN created_at END, CASE WHEN n % 2 = 1 THEN created_at END, addresses
      FROM identity.api_key, generate_series(1, 300) n WHERE id = $1`,
    [first],
  );
  await rows.close();
  const last = await create();
  const { apiKeys } = await identity.listApiKeys({ tenantId }, service.internal);
  const ids = apiKeys.map(({ id }) => id);
  expect(ids).toContain(first);
  expect(ids.at(-1)).toBe(last);
  expect(ids).toEqual(ids.toSorted());
  const ended = ids.filter((id) => id.length > first.length);
  expect(ended).toHaveLength(200);
  expect(ended[0]).toBe(`${first}0101`);
});
