import { hash, randomBytes } from "node:crypto";
import { createClient, type Client } from "@connectrpc/connect";
import { Secret, TOTP } from "otpauth";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import type { TestService } from "./service.ts";

/** What users are reached through: a service's core, and its time. */
export type UsersOf = Pick<TestService, "internal"> & {
  readonly core: Pick<TestService["core"], "transport">;
  readonly clock: Pick<TestService["clock"], "nowMs" | "advance">;
};

export const PASSWORD = "correct horse battery staple";
const PERIOD_SECONDS = 30;

/** A user with an account and an authenticator app. */
export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly secret: string;
  readonly token: string;
}

/** SHA-256 of a token, as the core is asked with. */
export function tokenHash(token: string): Uint8Array {
  return hash("sha256", token, "buffer");
}

/** Users of a service, who do what users do at the sign-in pages. */
export class Users {
  readonly client: Client<typeof UsersService>;
  readonly #service: UsersOf;

  constructor(service: UsersOf) {
    this.#service = service;
    this.client = createClient(UsersService, service.core.transport);
  }

  get internal(): TestService["internal"] {
    return this.#service.internal;
  }

  newEmail(): string {
    return `${randomBytes(6).toString("hex")}@example.test`;
  }

  /** The code that the app shows now. */
  codeOf(secret: string): string {
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: this.#service.clock.nowMs(),
    });
  }

  /** Waits for the app's next code, so that none is used twice. */
  nextCode(secret: string): string {
    this.#service.clock.advance(PERIOD_SECONDS);
    return this.codeOf(secret);
  }

  async invite(tenantId: string, role: Role, email = this.newEmail()): Promise<string> {
    return (await this.client.inviteUser({ tenantId, email, role }, this.internal)).token;
  }

  async invitation(token: string) {
    return await this.client.getInvitation({ tokenHash: tokenHash(token) }, this.internal);
  }

  async accept(token: string, given: object = {}) {
    const request = { tokenHash: tokenHash(token), name: "Ana", password: PASSWORD, ...given };
    return await this.client.acceptInvitation(request, this.internal);
  }

  /** Accepts with the code that the invitation's own authenticator shows now. */
  async acceptNow(token: string, given: object = {}) {
    const { totpSecret = "" } = await this.invitation(token);
    return await this.accept(token, { code: this.codeOf(totpSecret), ...given });
  }

  /** A new user who joined the tenant and is signed in. */
  async join(
    tenantId: string,
    role: Role = Role.OWNER,
    email = this.newEmail(),
    name = `Ana ${email}`,
  ): Promise<TestUser> {
    const invited = await this.invite(tenantId, role, email);
    const { totpSecret: secret = "" } = await this.invitation(invited);
    const { sessionToken: token } = await this.accept(invited, { name, code: this.codeOf(secret) });
    const { session } = await this.sessionOf(token);
    return { id: session?.user?.id ?? "", email, name, secret, token };
  }

  /** Joins a tenant with an account of its own, although the address has one. */
  async joinAnew(tenantId: string, email: string, password = PASSWORD): Promise<TestUser> {
    const invited = {
      tokenHash: tokenHash(await this.invite(tenantId, Role.OWNER, email)),
      isNewAccount: true,
    };
    const { totpSecret: secret = "" } = await this.client.getInvitation(invited, this.internal);
    const name = `Bia ${email}`;
    const { sessionToken: token } = await this.client.acceptInvitation(
      { ...invited, name, password, code: this.codeOf(secret) },
      this.internal,
    );
    const { session } = await this.sessionOf(token);
    return { id: session?.user?.id ?? "", email, name, secret, token };
  }

  /** Joins a further tenant with the account that the user has. */
  async joinAlso(user: TestUser, tenantId: string, role: Role = Role.OWNER): Promise<string> {
    const invited = await this.invite(tenantId, role, user.email);
    const { sessionToken } = await this.client.acceptInvitation(
      { tokenHash: tokenHash(invited), password: PASSWORD, code: this.nextCode(user.secret) },
      this.internal,
    );
    return sessionToken;
  }

  async signIn(
    user: TestUser,
    changed: { password?: string; code?: string; address?: string } = {},
  ): Promise<string> {
    const { sessionToken } = await this.client.signIn(
      {
        email: user.email,
        password: PASSWORD,
        code: changed.code ?? this.nextCode(user.secret),
        ...changed,
      },
      this.internal,
    );
    return sessionToken;
  }

  async sessionOf(token: string) {
    return await this.client.authenticateSession({ tokenHash: tokenHash(token) }, this.internal);
  }
}
