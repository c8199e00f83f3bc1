import { expect, test } from "vitest";
import { LargeForms } from "../../gateway/console/large-forms.ts";
import { ConsoleClient } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService("direct"));

test("of a tenant's forms with long texts two are worked on at a time, and others' and short ones at once", async () => {
  const forms = new LargeForms();
  const end = Promise.withResolvers<void>();
  const begun: string[] = [];
  const send = async (tenantId: string, length: number): Promise<void> =>
    await forms.run(tenantId, { text: "x".repeat(length) }, async () => {
      begun.push(tenantId);
      await end.promise;
    });
  const all = [
    ...Array.from({ length: 5 }, () => send("one", 8192)),
    send("other", 8192),
    send("short", 8191),
  ];
  await expect.poll(() => begun.toSorted()).toEqual(["one", "one", "other", "short"]);
  end.resolve();
  await Promise.all(all);
  expect(begun.filter((one) => one === "one")).toHaveLength(5);
});

test("a tenant's form is refused as busy when 64 others wait", async () => {
  const forms = new LargeForms();
  const end = Promise.withResolvers<void>();
  const send = async (): Promise<void> =>
    await forms.run("one", { text: "x".repeat(8192) }, async () => await end.promise);
  const all = Array.from({ length: 66 }, send);
  await expect(send()).rejects.toThrow("busy");
  end.resolve();
  await Promise.all(all);
});

test("forms that wait long, as for the server of a name, take the places of their own tenants alone", async () => {
  const forms = new LargeForms();
  const end = Promise.withResolvers<void>();
  const begun: string[] = [];
  const send = async (tenantId: string): Promise<void> =>
    await forms.run(tenantId, { text: "x".repeat(8192) }, async () => {
      begun.push(tenantId);
      await end.promise;
    });
  const all = ["one", "one", "one", "two", "two", "two", "other"].map(send);
  await expect.poll(() => begun.toSorted()).toEqual(["one", "one", "other", "two", "two"]);
  end.resolve();
  await Promise.all(all);
});

test("a form of a page for everyone has 16 KB at most", async () => {
  const guest = new ConsoleClient(service);
  const page = "/console/signin";
  const sent = async (length: number): Promise<number> => {
    const form = {
      form_token: await guest.formToken(page),
      email: "x".repeat(length),
      password: "x",
      code: "1",
    };
    return (await guest.send(page, form)).statusCode;
  };
  expect([await sent(15_000), await sent(17_000)]).toEqual([422, 413]);
});
