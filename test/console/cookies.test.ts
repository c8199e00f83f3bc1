import { expect, test } from "vitest";
import { ConsoleOrigin } from "../../gateway/console/origin.ts";
import { forFile } from "../support/for-file.ts";
import { PASSWORD, Users } from "../support/users.ts";
import { startService } from "../support/service.ts";

const ORIGIN = "https://pay.example.test";

const service = await forFile(startService("direct", { checkoutBase: ORIGIN }));

test("behind https all cookies are Secure and bound to the host, and only that origin's forms are taken", async () => {
  const tenant = await service.createTenant();
  const users = new Users(service);
  const user = await users.join(tenant.id);
  const page = await service.gateway.inject({ url: "/console/signin" });
  const [form] = page.cookies;
  const attributes = { secure: true, httpOnly: true, path: "/", sameSite: "Lax" };
  expect(form).toMatchObject({ name: "__Host-paylink_form", ...attributes });
  expect(form).not.toHaveProperty("domain");
  const token = /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? "";
  const signIn = async (origin: string) =>
    await service.gateway.inject({
      method: "POST",
      url: "/console/signin",
      headers: {
        origin,
        cookie: `__Host-paylink_form=${form?.value}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      payload: new URLSearchParams({
        form_token: token,
        email: user.email,
        password: PASSWORD,
        code: users.nextCode(user.secret),
      }).toString(),
    });
  expect((await signIn("http://pay.example.test")).statusCode).toBe(403);
  const answer = await signIn(ORIGIN);
  expect(answer.statusCode).toBe(303);
  const session = answer.cookies.find(({ name }) => name === "__Host-paylink_session");
  expect(session).toMatchObject(attributes);
  expect(session).not.toHaveProperty("domain");
  const browser = answer.cookies.find(({ name }) => name === "__Host-paylink_browser");
  expect(browser).toMatchObject({ ...attributes, maxAge: 180 * 24 * 3600 });
  expect(browser).not.toHaveProperty("domain");
  // The name without the prefix, which a page without TLS could set, is no session.
  const plain = { cookie: `paylink_session=${session?.value}` };
  expect((await service.gateway.inject({ url: "/console/test", headers: plain })).statusCode).toBe(303);
});

test.each([
  ["https://pay.example.test", true, true],
  ["http://pay.example.test", false, true],
  ["https://localhost:8443", true, true],
  ["http://localhost:8080", false, true],
  ["http://127.0.0.1:8080", false, true],
  ["http://[::1]:8080", false, true],
  ["http://127.0.0.1.example.test", false, true],
  ["http://localhost:8080", true, false],
  ["http://192.168.1.4:8080", true, false],
])("cookies for %s, http being allowed: %s, are secure: %s", (url, allowsHttp, isSecure) => {
  expect(new ConsoleOrigin(url, allowsHttp).isSecure).toBe(isSecure);
});
