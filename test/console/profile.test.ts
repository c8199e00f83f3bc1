import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const PATH = "/console/live/settings";
const FORM = {
  display_name: "Marcenaria Silva",
  logo_url: "https://img.example/logo.png",
  color: "#7a1f5c",
  tax_id: "11.222.333/0001-81",
  contact: "ola@silva.example",
  site: "https://silva.example",
};

const service = await forFile(startService());
const tenant = await service.createTenant();
const client = new ConsoleClient(service, await createUser(service, tenant.id, "owner"));

const save = async (form: object = {}) => {
  const { body } = await client.get(`${PATH}/profile`);
  const opened = /name="opened"\s+value="([^"]*)"/.exec(body)?.[1] ?? "";
  const sent = { ...FORM, opened: opened.replaceAll("&quot;", '"'), ...form };
  return await client.post(`${PATH}/profile`, `${PATH}/profile`, sent);
};
const profile = async () => {
  const identity = createClient(IdentityService, service.core.transport);
  return (await identity.getTenant({ tenantId: tenant.id }, service.internal)).tenant?.profile;
};

test("an owner gives the brand, which the settings show, and takes a part of it away", async () => {
  expect((await save()).headers.location).toBe(`${PATH}?done=saved`);
  expect(await profile()).toMatchObject({ displayName: "Marcenaria Silva", taxId: "11222333000181" });
  expect((await client.get(PATH)).body).toContain("https://img.example/logo.png");
  await save({ logo_url: "" });
  expect(await profile()).toMatchObject({ displayName: "Marcenaria Silva", logoUrl: "" });
});

test("every wrong field is told at once with what is wrong, what was typed stays, and nothing is saved", async () => {
  const before = await profile();
  const { statusCode, body } = await save({
    color: "#ffd400",
    tax_id: "11.222.333/0001-82",
    site: "http://x",
  });
  expect(statusCode).toBe(422);
  for (const text of [
    "escura o bastante para texto branco",
    "Há um dígito errado neste CNPJ ou CPF.",
    "O endereço do site começa com https://.",
    'value="#ffd400"',
  ]) {
    expect(body).toContain(text);
  }
  expect(await profile()).toEqual(before);
});

test("another user's change in the meantime is not undone", async () => {
  const { statusCode, body } = await save({ opened: "{}" });
  expect(statusCode).toBe(422);
  expect(body).toContain("enquanto esta página estava aberta");
});

test("who may only read finds the brand and no form", async () => {
  const reader = new ConsoleClient(service, await createUser(service, tenant.id, "finance"));
  const { body } = await reader.get(PATH);
  expect(body).toContain("Marcenaria Silva");
  expect(body).not.toContain("/settings/profile");
  expect((await reader.get(`${PATH}/profile`)).statusCode).toBe(403);
});
