import { getOption, ScalarType, type DescMessage } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";
import { asUser as asUserWith, makeOwner } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { unaryMethods } from "../support/grpc-client.ts";
import { createMerchant } from "../support/merchant.ts";
import { Users, tokenHash } from "../support/users.ts";
import { codeOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const SECRET_NAME = /password|secret|token|plaintext|^code$|^key$/;
const URL = "https://93.184.215.14/hook";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const users = new Users(service);
const merchant = await createMerchant(service);

const identity = () => createClient(IdentityService, service.core.transport);
const asUser = (options = service.internal) => asUserWith(options);

test("no secret is in any entry", async () => {
  const tenantId = merchant.tenant.id;
  await makeOwner(rows, tenantId);
  const [canary, other] = ["canary of the long passwords", "second canary of long passwords"];
  const email = users.newEmail();
  const secrets = [canary, other];
  const keep = <T extends string>(secret: T): T => {
    secrets.push(secret);
    return secret;
  };
  const invited = keep(await users.invite(tenantId, Role.OWNER, email));
  const by = { tokenHash: tokenHash(invited) };
  const { totpSecret: secret = "" } = await users.client.getInvitation(by, users.internal);
  const accepted = { ...by, name: "Ana", password: canary, code: users.codeOf(keep(secret)) };
  const { sessionToken } = await users.client.acceptInvitation(accepted, users.internal);
  const session = { tokenHash: tokenHash(keep(sessionToken)) };
  const code = users.nextCode(secret);
  keep((await users.client.signIn({ email, password: canary, code }, users.internal)).sessionToken);
  await codeOf(users.client.signIn({ email, password: keep("wrong canary password"), code }, users.internal));
  await users.client.changePassword({ ...session, password: canary, newPassword: other }, users.internal);
  const userId = (await users.sessionOf(sessionToken)).session?.user?.id ?? "";
  keep((await users.client.resetUser({ tenantId, userId }, asUser())).token);
  keep((await identity().createApiKey({ tenantId, mode: Mode.TEST }, asUser())).key);
  keep(
    (await identity().createCoreToken({ name: "x", permissions: ["ledger:read"], tenantId }, asUser())).token,
  );
  const { secret: signing, endpoint } = await merchant.webhooks.createWebhookEndpoint(
    { url: `${URL}?token=${keep("canary-of-a-query")}` },
    asUser(merchant.as),
  );
  const moved = { id: endpoint?.id ?? "", url: `${URL}/moved?${keep("canary-of-another")}` };
  await merchant.webhooks.updateWebhookEndpoint(moved, asUser(merchant.as));
  keep(signing);
  keep((await merchant.webhooks.rotateWebhookSecret({ id: endpoint?.id ?? "" }, asUser(merchant.as))).secret);

  const everything = (await rows.read(`SELECT a::text AS entry FROM identity.audit_entry a`)).map(
    ({ entry }) => String(entry),
  );
  for (const url of [URL, `${URL}/moved`]) {
    expect(everything.filter((entry) => entry.includes(`""url"": ""${url}""`))).toHaveLength(1);
  }
  const actions = [
    "AcceptInvitation",
    "SignIn",
    "SignInRefused",
    "ChangePassword",
    "ResetUser",
    "RotateWebhookSecret",
  ];
  expect(actions.filter((action) => !everything.some((entry) => entry.includes(action)))).toEqual([]);
  const hashes = secrets.flatMap((text) => [
    Buffer.from(tokenHash(text)).toString("hex"),
    Buffer.from(tokenHash(text)).toString("base64"),
  ]);
  for (const text of [...secrets, ...hashes]) {
    expect(everything.filter((entry) => entry.includes(text))).toEqual([]);
  }
});

test("every field of a request that is named like a secret is kept out", () => {
  const found: string[] = [];
  const visible: string[] = [];
  const look = (desc: DescMessage): void => {
    for (const field of desc.fields) {
      const name = `${desc.typeName}.${field.name}`;
      if (SECRET_NAME.test(field.name)) {
        found.push(name);
        if (field.scalar !== ScalarType.BYTES && !getOption(field, fieldRules).isSecret) visible.push(name);
      }
      if (field.message?.typeName.startsWith("paylink.")) look(field.message);
    }
  };
  for (const { input } of unaryMethods(CORE_SERVICES)) look(input);
  expect(found).toContain("paylink.checkout.v1.StartPaymentRequest.card_token");
  expect(visible).toEqual([]);
});
