import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Role, UsersService } from "../../gen/paylink/identity/v1/users_pb.ts";
import { codeOf, ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { Users } from "../support/users.ts";
import { startService } from "../support/service.ts";
import { secretOn, signIn, typed } from "./sign-in-form.ts";

const service = await forFile(startService());
const tenant = await service.createTenant();

describe("an invitation", () => {
  test("sets password and authenticator once, and signs in", async () => {
    const users = createClient(UsersService, service.core.transport);
    const request = { tenantId: tenant.id, email: "new@example.test", role: Role.FINANCE };
    const { token } = await users.inviteUser(request, service.internal);
    const client = new ConsoleClient(service);
    const page = `/console/invitations/${token}`;
    const { body, statusCode } = await client.get(page);
    expect(statusCode).toBe(200);
    const form = { name: "New", password: "a long enough password", code: codeOf(secretOn(body), service) };
    const weak = await client.post(page, page, { ...form, password: "short" });
    expect([weak.statusCode, weak.body.includes("field-password-problem")]).toEqual([422, true]);
    const faulty = (await client.post(page, page, { ...form, name: "", password: "short", code: "12" })).body;
    for (const field of ["name", "password", "code"]) expect(faulty).toContain(`field-${field}-problem`);
    expect(body).toContain('href="otpauth://totp/');
    expect(body).toMatch(/>(?:[A-Z2-7]{4} )+[A-Z2-7]{1,4}<\/code>/);
    expect(body).toContain(`data-copy-text="${secretOn(body)}"`);
    const wrong = await client.post(page, page, { ...form, code: "123123" });
    expect(wrong.statusCode).toBe(422);
    const accepted = await client.post(page, page, form);
    expect([accepted.statusCode, accepted.headers.location]).toEqual([303, "/console/test"]);
    expect((await client.get("/console/test")).body).toContain("Financeiro");
    expect((await new ConsoleClient(service).get(page)).statusCode).toBe(404);
    expect((await new ConsoleClient(service).get("/console/invitations/x")).statusCode).toBe(404);
  });

  test("to an address with an account asks for it, or makes another one that has nothing of it", async () => {
    const squatter = await createUser(service, tenant.id, "owner");
    const other = await service.createTenant();
    const token = await new Users(service).invite(other.id, Role.VIEWER, squatter.email);
    const page = `/console/invitations/${token}`;
    const client = new ConsoleClient(service);
    const asked = (await client.get(page)).body;
    expect(secretOn(asked)).toBe("");
    expect(asked).toContain(`href="${page}?account=new"`);
    const { body } = await client.get(`${page}?account=new`);
    expect(body).toContain(`href="${page}"`);
    const form = { account: "new", name: "Bia", password: "her own long password", code: "000000" };
    const wrong = await client.post(`${page}?account=new`, page, form);
    expect([wrong.statusCode, secretOn(wrong.body)]).toEqual([422, secretOn(body)]);
    const right = { ...form, code: codeOf(secretOn(body), service) };
    const accepted = await client.post(`${page}?account=new`, page, right);
    expect([accepted.statusCode, accepted.headers.location]).toEqual([303, "/console/test"]);
    expect((await client.get("/console/test/account")).body).toContain("Bia");
    const old = new ConsoleClient(service);
    expect((await signIn(old, typed(service, squatter))).statusCode).toBe(303);
    expect((await old.post("/console/test", "/console/test/tenant", { tenant: other.id })).statusCode).toBe(
      404,
    );
  });
});
