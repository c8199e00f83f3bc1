import { getOption, type DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { lookup } from "node:dns";
import { afterAll, expect, test } from "vitest";
import { AuditedRead, method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { newId } from "../../contract/ids.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { testBank } from "../api-pix/connected.ts";
import { asUser, makeOwner } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { unaryMethods } from "../support/grpc-client.ts";
import { pictureFolder } from "../support/media.ts";
import { startService } from "../support/service.ts";
import { Users } from "../support/users.ts";
import { checkoutScenes } from "./scenes/checkout.ts";
import { identityScenes } from "./scenes/identity.ts";
import { ledgerScenes } from "./scenes/ledger.ts";
import { linksScenes } from "./scenes/links.ts";
import { mediaScenes } from "./scenes/media.ts";
import { pricingScenes } from "./scenes/pricing.ts";
import { providersScenes } from "./scenes/providers.ts";
import { reconciliationScenes } from "./scenes/reconciliation.ts";
import { usersScenes } from "./scenes/users.ts";
import { webhooksScenes } from "./scenes/webhooks.ts";
import { newScenery, type Options, type Scenery, type Scenes } from "./scenes/scenery.ts";

const SCENES: Scenes = {
  ...identityScenes,
  ...usersScenes,
  ...pricingScenes,
  ...linksScenes,
  ...ledgerScenes,
  ...checkoutScenes,
  ...webhooksScenes,
  ...providersScenes,
  ...mediaScenes,
  ...reconciliationScenes,
};

const media = await pictureFolder();
afterAll(async () => await media.remove());
const service = await forFile(
  startService("direct", {
    mediaStorage: media.mediaStorage,
    allowLoopbackProviders: true,
    lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
  }),
);
const bank = await testBank();
afterAll(async () => await bank.bank.stop());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const users = new Users(service);

/** The RPC of a scene: the first word of its title. */
function actionOf(title: string): string {
  return title.split(" ")[0] ?? "";
}

function hasEntries(method: DescMethod): boolean {
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return !isRead || getOption(method, methodRules).auditedRead !== AuditedRead.UNSPECIFIED;
}

/** The two kinds of callers whose every change is recorded. */
async function callers({ identity, merchant }: Scenery): Promise<[kind: string, as: Options][]> {
  const { token } = await identity.createCoreToken(
    { name: "team", permissions: ["*:admin", "payers:read"] },
    service.internal,
  );
  const named = { headers: { ...merchant.as.headers, authorization: `Bearer ${token}` } };
  return [
    ["user", asUser(merchant.as)],
    ["core_token", named],
  ];
}

/** These need live mode and e-mail: test/mail/receipt-mails.test.ts looks at their entries. */
const ELSEWHERE = ["SendReceipt"];

test("every RPC that changes something, or whose reading is recorded, has a scene", () => {
  const due = unaryMethods(CORE_SERVICES).filter(hasEntries);
  const acted = new Set(Object.keys(SCENES).map(actionOf));
  expect(due.map(({ name }) => name).toSorted()).toEqual([...acted, ...ELSEWHERE].toSorted());
});

test.each(Object.entries(SCENES))(
  "%s has an entry for each change, by a user and by a token",
  async (title, scene) => {
    const name = actionOf(title);
    const scenery = await newScenery({ service, rows, users, bank });
    await makeOwner(rows, scenery.tenantId);
    for (const [, as] of await callers(scenery)) {
      const requestId = newId("req");
      const headers = { ...as.headers, "paylink-request-id": requestId, "idempotency-key": newId("req") };
      const objects = await scene({ headers }, scenery);
      const written = await rows.read(
        "SELECT action, object_id AS object FROM identity.audit_entry WHERE request_id = $1",
        [requestId],
      );
      const isByUser = as.headers["paylink-actor"] !== undefined;
      // A token may not show what only a person may, and a person's pages of sealed rows are one export.
      const isExport = name === "ListSealedRows" || name === "ListSealDeltas";
      const expected = isExport && isByUser ? [] : objects.map((object) => ({ action: name, object }));
      expect(
        written.toSorted((one, other) => (String(one["object"]) < String(other["object"]) ? 1 : -1)),
      ).toEqual(expected);
    }
  },
);
