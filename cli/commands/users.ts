import { Option, type Command } from "commander";
import { wordsOf } from "../../contract/enum-words.ts";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { coreClient, type CoreClient } from "../core/client.ts";
import { examples } from "../output/help.ts";
import { print, timeCell } from "../output/output.ts";

interface TenantOf {
  readonly tenant: string;
}

type Users = CoreClient<typeof UsersService>;

const roles = wordsOf(Role);

export function addUsers(program: Command): void {
  const users = program
    .command("users")
    .addHelpText(
      "after",
      examples(
        "users invite --tenant ten_… --email ana@example.com --role owner",
        "users list --tenant ten_…",
        "users reset ana@example.com --tenant ten_…",
      ),
    );
  ofTenant(users.command("invite"))
    .description("make a one-time link that invites a user; it is shown only now")
    .requiredOption("--email <address>", "address that they sign in with")
    .addOption(new Option("--role <role>", "what they may do").choices(roles.all).default("owner"))
    .action(
      async (
        { tenant: tenantId, email, role }: TenantOf & { email: string; role: string },
        command: Command,
      ) => {
        const { client, options } = await coreClient(UsersService);
        const request = { tenantId, email, role: roles.numberOf(role) ?? Role.UNSPECIFIED };
        const { invitationId: id, url: link, expiresAt } = await client.inviteUser(request, options);
        print(command, { id, link, expires_at: timeCell(expiresAt) });
      },
    );
  ofTenant(users.command("list"))
    .description("list a tenant's users, and who is invited")
    .action(async ({ tenant: tenantId }: TenantOf, command: Command) => {
      const { client, options } = await coreClient(UsersService);
      const { members, invitations } = await client.listMembers({ tenantId }, options);
      print(command, [
        ...members.map(({ userId, email, name, role, createdAt, lastSignedInAt }) => ({
          id: userId,
          email,
          name,
          role: roles.wordOf(role) ?? "-",
          since: timeCell(createdAt),
          last_signed_in_at: timeCell(lastSignedInAt),
        })),
        ...invitations.map(({ id, email, role, createdAt, userId }) => ({
          id,
          email,
          name: userId === undefined ? "(invited)" : "(new password)",
          role: roles.wordOf(role) ?? "-",
          since: timeCell(createdAt),
          last_signed_in_at: null,
        })),
      ]);
    });
  ofTenant(users.command("remove"))
    .description("remove a user from a tenant, and end their sessions there")
    .argument("<who>", "the user's address or id")
    .action(async (who: string, { tenant: tenantId }: TenantOf, command: Command) => {
      const core = await coreClient(UsersService);
      const userId = await idOf(core, tenantId, who);
      await core.client.removeMember({ tenantId, userId }, core.options);
      print(command, { id: userId, removed: "yes" });
    });
  ofTenant(users.command("reset"))
    .description("make a one-time link to a new password and authenticator; it is shown only now")
    .argument("<who>", "the user's address or id")
    .action(async (who: string, { tenant: tenantId }: TenantOf, command: Command) => {
      const core = await coreClient(UsersService);
      const userId = await idOf(core, tenantId, who);
      const request = { tenantId, userId, isOperator: true };
      const { url: link, expiresAt } = await core.client.resetUser(request, core.options);
      print(command, { id: userId, link, expires_at: timeCell(expiresAt) });
    });
}

function ofTenant(command: Command): Command {
  return command.requiredOption("--tenant <id>", "the tenant, ten_…");
}

/** Returns the user id of a member's email address, or `who` if it is no address. Throws Error for a non-member. */
async function idOf({ client, options }: Users, tenantId: string, who: string): Promise<string> {
  if (!who.includes("@")) return who;
  const { members } = await client.listMembers({ tenantId }, options);
  const member = members.find(({ email }) => email === who.trim().toLowerCase());
  if (!member) throw new Error(`No user of ${tenantId} has the address ${who}.`);
  return member.userId;
}
