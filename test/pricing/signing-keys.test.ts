import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { merchantOf } from "../support/merchant.ts";
import { secondService, startService } from "../support/service.ts";

const service = await forFile(startService());
const second = await forFile(secondService(service));
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

test("a quote of one core is accepted on another that has made a key of its own", async () => {
  const tenant = await service.createTenant();
  const [one, two] = [merchantOf(tenant, service, service), merchantOf(tenant, service, second)];
  const quoted = async ({ api }: typeof one): Promise<string> => {
    const { body } = await api.post("/v1/quotes", { amount: 5000, currency: "BRL", payment_method: "pix" });
    return body.id;
  };
  const ofOne = await quoted(one);
  // The second core sees no key, as if both had started at the same moment.
  await rows.run("CREATE TABLE test.kept_key AS SELECT * FROM test.signing_key");
  await rows.run("DELETE FROM test.signing_key");
  const ofTwo = await quoted(two);
  await rows.run("INSERT INTO test.signing_key SELECT * FROM test.kept_key");
  expect(await rows.count("test.signing_key")).toBe(2);
  const accepted = await Promise.all([
    two.api.post(`/v1/quotes/${ofOne}/accept`, { name: "Shoes" }),
    one.api.post(`/v1/quotes/${ofTwo}/accept`, { name: "Shoes" }),
  ]);
  expect(accepted.map(({ status }) => status)).toEqual([201, 201]);
});
