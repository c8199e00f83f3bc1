import { getOption, type DescField } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { Api } from "../support/api.ts";
import { fieldsOf, idsOf, nameOf, ROUTES } from "../support/every-route.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

// With the rest of a request's head below the 16 KiB that a gateway reads of it.
const LONG_ID = "x".repeat(15_000);
const LONG_TEXT = "x".repeat(65_000);
const ELEMENTS = 4090;

const apart = await forFile(startService("network"));
const tenant = await apart.createTenant();
const api = new Api(apart, tenant.testKey);

const cases = ROUTES.filter(({ verb }) => verb === "POST").flatMap((route) => {
  const path = idsOf(route).reduce((url, { name }) => url.replace(`:${name}`, LONG_ID), route.path);
  return fieldsOf(route).map((field) => [`${nameOf(route)}: ${field.name}`, path, field] as const);
});

test.each(cases)(
  "between two processes, %s is refused by its limits, however full",
  async (_name, url, field) => {
    const value = isList(field) ? Array.from({ length: ELEMENTS }, () => "x") : LONG_TEXT;
    const { status } = await api.post(url, { [field.name]: value });
    expect(status).toBe(400);
  },
);

function isList(field: DescField): boolean {
  return field.fieldKind === "list" || getOption(field, fieldRules).isList;
}
