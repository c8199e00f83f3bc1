import { Role } from "../../../gen/paylink/identity/v1/users_pb.ts";
import { PASSWORD, tokenHash } from "../../support/users.ts";
import { session, type Scenes } from "./scenery.ts";

export const usersScenes: Scenes = {
  InviteUser: async (as, { tenantId, users }) => {
    const asked = { tenantId, email: users.newEmail(), role: Role.VIEWER };
    return [(await users.client.inviteUser(asked, as)).invitationId];
  },
  AcceptInvitation: async (as, { tenantId, users }) => {
    const by = { tokenHash: tokenHash(await users.invite(tenantId, Role.OWNER)) };
    const { totpSecret = "" } = await users.client.getInvitation(by, users.internal);
    const accepted = { ...by, name: "Ana", password: PASSWORD, code: users.codeOf(totpSecret) };
    const { sessionToken } = await users.client.acceptInvitation(accepted, as);
    return [(await users.sessionOf(sessionToken)).session?.user?.id];
  },
  "AcceptInvitation to a further tenant": async (as, { joined, service, users }) => {
    const user = await joined();
    const { id } = await service.createTenant();
    const by = { tokenHash: tokenHash(await users.invite(id, Role.VIEWER, user.email)) };
    await users.client.acceptInvitation({ ...by, password: PASSWORD, code: users.nextCode(user.secret) }, as);
    return [user.id];
  },
  "AcceptInvitation of new secrets": async (as, { joined, tenantId, users }) => {
    const user = await joined();
    const { token } = await users.client.resetUser({ tenantId, userId: user.id }, users.internal);
    const by = { tokenHash: tokenHash(token) };
    const { totpSecret = "" } = await users.client.getInvitation(by, users.internal);
    const secrets = { password: "another staple of a correct horse", code: users.codeOf(totpSecret) };
    const { sessionToken } = await users.client.acceptInvitation({ ...by, ...secrets }, as);
    return [(await users.sessionOf(sessionToken)).session?.id];
  },
  SignIn: async (as, { joined, users }) => {
    const { email, secret } = await joined();
    const asked = { email, password: PASSWORD, code: users.nextCode(secret), address: "192.0.2.9" };
    const { sessionToken } = await users.client.signIn(asked, as);
    return [(await users.sessionOf(sessionToken)).session?.id];
  },
  SignOut: async (as, { joined, sessionId, users }) => {
    const user = await joined();
    const id = await sessionId(user);
    await users.client.signOut(session(user), as);
    return [id];
  },
  SignOutEverywhere: async (as, { joined, users }) => {
    const user = await joined();
    await users.client.signOutEverywhere(session(user), as);
    return [user.id];
  },
  RevokeSession: async (as, { joined, sessionId, users }) => {
    const user = await joined();
    const id = (await sessionId({ ...user, token: await users.signIn(user) })) ?? "";
    await users.client.revokeSession({ ...session(user), id }, as);
    return [id];
  },
  RequestPasswordReset: async (as, { joined, users }) => {
    await users.client.requestPasswordReset({ email: (await joined()).email }, as);
    // Whether there is such an account is found out later.
    return [];
  },
  ResetPassword: async (as, { joined, rows, users }) => {
    const user = await joined();
    const token = `reset of ${user.id}`;
    await rows.run(
      "INSERT INTO identity.password_reset (token_hash, user_id, expires_at) VALUES ($1, $2, '2999-01-01')",
      [Buffer.from(tokenHash(token)).toString("hex"), user.id],
    );
    const secrets = { password: "another staple of a correct horse", code: users.nextCode(user.secret) };
    const { sessionToken } = await users.client.resetPassword(
      { tokenHash: tokenHash(token), ...secrets },
      as,
    );
    return [(await users.sessionOf(sessionToken)).session?.id];
  },
  PutOwnDigest: async (as, { joined, users }) => {
    const user = await joined();
    await users.client.putOwnDigest({ ...session(user), isOn: false }, as);
    return [user.id];
  },
  PutOwnPaymentMails: async (as, { joined, users }) => {
    const user = await joined();
    await users.client.putOwnPaymentMails({ ...session(user), isOn: true }, as);
    return [user.id];
  },
  PutSavedView: async (as, { joined, users }) => {
    const view = { list: "/payments", name: "Mine", query: "status=failed" };
    await users.client.putSavedView({ ...session(await joined()), view }, as);
    return [view.list];
  },
  RemoveSavedView: async (as, { joined, users }) => {
    await users.client.removeSavedView({ ...session(await joined()), list: "/links", name: "Mine" }, as);
    return ["/links"];
  },
  SwitchTenant: async (as, { joined, service, sessionId, users }) => {
    const user = await joined();
    const { id } = await service.createTenant();
    await users.joinAlso(user, id);
    await users.client.switchTenant({ ...session(user), tenantId: id }, as);
    return [await sessionId(user)];
  },
  ConfirmPassword: async (as, { joined, users }) => {
    await users.client.confirmPassword({ ...session(await joined()), password: PASSWORD }, as);
    // It only counts the attempt.
    return [];
  },
  ChangePassword: async (as, { joined, users }) => {
    const user = await joined();
    const newPassword = "another staple of a correct horse";
    await users.client.changePassword({ ...session(user), password: PASSWORD, newPassword }, as);
    return [user.id];
  },
  ChangeMemberRole: async (as, { joined, tenantId, users }) => {
    const [user] = [await joined(), await joined()];
    await users.client.changeMemberRole({ tenantId, userId: user.id, role: Role.VIEWER }, as);
    return [user.id];
  },
  RemoveMember: async (as, { joined, tenantId, users }) => {
    const user = await joined(Role.VIEWER);
    await users.client.removeMember({ tenantId, userId: user.id }, as);
    return [user.id];
  },
  RevokeInvitation: async (as, { tenantId, users }) => {
    const asked = { tenantId, email: users.newEmail(), role: Role.VIEWER };
    const { invitationId: id } = await users.client.inviteUser(asked, users.internal);
    await users.client.revokeInvitation({ tenantId, id }, as);
    return [id];
  },
  ResetUser: async (as, { joined, tenantId, users }) => {
    const user = await joined();
    await users.client.resetUser({ tenantId, userId: user.id }, as);
    return [user.id];
  },
};
