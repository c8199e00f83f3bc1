import { createClient } from "@connectrpc/connect";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import { createUser, type TestUser } from "../../test/support/console.ts";
import type { Merchant } from "../../test/support/merchant.ts";
import type { TestService } from "../../test/support/service.ts";
import { Users } from "../../test/support/users.ts";
import { COMPANY, NAMES } from "./texts.ts";

/** A company with its people and keys. */
export interface Company {
  /** The owner is a member of another company too; the newcomer owns one that has done nothing yet. */
  readonly users: Readonly<Record<"owner" | "viewer" | "newcomer", TestUser>>;
  readonly memberId: string;
  readonly entityId: string;
  readonly keyId: string;
  readonly invitationId: string;
  /** Tokens of open invitations: of a new user, of one who has an account, and of a reset. */
  readonly invitations: Readonly<Record<"new" | "known" | "reset", string>>;
}

/** Names the company, and lets people join it. */
export async function company(service: TestService, { tenant }: Merchant): Promise<Company> {
  const identity = createClient(IdentityService, service.core.transport);
  const users = new Users(service);
  const { internal } = service;
  const tenantId = tenant.id;
  await identity.updateTenant({ tenantId, ...COMPANY }, internal);
  const { id: entityId } = await identity.createLegalEntity(
    { tenantId, name: `${COMPANY.name} (filial de Santana de Parnaíba)`, payoutCurrency: "USD" },
    internal,
  );
  const named = async (index: number, role: "owner" | "finance" | "viewer"): Promise<TestUser> =>
    await createUser(service, tenantId, role, emailOf(NAMES[index] ?? ""), NAMES[index]);
  const owner = await named(0, "owner");
  const member = await named(1, "finance");
  const viewer = await named(2, "viewer");
  await named(3, "viewer");
  const other = await service.createTenant();
  await users.joinAlso({ ...owner, id: "", secret: owner.totpSecret, token: "" }, other.id);
  const { userId: memberId } = (await users.client.listMembers({ tenantId }, internal)).members.find(
    ({ email }) => email === member.email,
  ) ?? { userId: "" };
  const reset = await users.client.resetUser({ tenantId, userId: memberId }, internal);
  const { token, invitationId } = await users.client.inviteUser(
    { tenantId, email: emailOf(NAMES[4]), role: Role.DEVELOPER },
    internal,
  );
  for (const name of [
    "Loja virtual, servidor de produção da filial de Santana de Parnaíba",
    "ERP",
    "Contabilidade terceirizada",
  ]) {
    await identity.createApiKey({ tenantId, mode: Mode.TEST, name }, internal);
  }
  const { apiKeys } = await identity.listApiKeys({ tenantId }, internal);
  const inTest = apiKeys.filter(({ mode }) => mode === Mode.TEST);
  await identity.revokeApiKey({ id: inTest.at(-1)?.id ?? "" }, internal);
  return {
    users: { owner, viewer, newcomer: await createUser(service, (await service.createTenant()).id, "owner") },
    memberId,
    entityId,
    keyId: inTest[0]?.id ?? "",
    invitationId,
    invitations: {
      new: token,
      known: await users.invite(other.id, Role.VIEWER, member.email),
      reset: reset.token,
    },
  };
}

/** As long as the addresses of large companies are. */
function emailOf(name: string): string {
  const words = name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, "")
    .split(" ");
  return `${words.join(".")}@moveis-irmaos-albuquerque.example`;
}
