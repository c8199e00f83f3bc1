import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { isInFull } from "../support/scale.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const client = join(import.meta.dirname, "client");
const bin = (name: string): string => join(client, "node_modules", ".bin", name);

const service = await forFile(startService());
const tenant = await service.createTenant({ payoutCurrency: "USD" });
const baseUrl = await service.gateway.listen({ host: "127.0.0.1", port: 0 });

test.runIf(isInFull())(
  "the types made from /openapi.json fit the journey's program and refuse each mistake of the other",
  async () => {
    const types = join(root, ".cache", "openapi-client", "api.d.ts");
    await run(bin("openapi-typescript"), [`${baseUrl}/openapi.json`, "--output", types]);
    const { stdout } = await run(bin("tsc"), ["--pretty", "false", "--project", client]).catch(
      (error: { stdout: string }) => error,
    );
    const wrongLines = readFileSync(join(client, "wrong.ts"), "utf8")
      .split("\n")
      .flatMap((line, index) => (line.includes("// wrong:") ? [index + 1] : []));
    const errors = stdout.split("\n").filter((line) => /error TS/.test(line));
    const places = errors.map((line) => /(\w+\.ts)\((\d+)/.exec(line)?.slice(1).join(":") ?? line);
    expect(places).toEqual(wrongLines.map((line) => `wrong.ts:${line}`));
  },
);

test("the journey from quote to payment, by the generated client over a socket", async () => {
  const { stdout } = await run(process.execPath, [join(client, "journey.ts"), baseUrl, tenant.testKey]);
  const { quote, link, payment, page, ...others } = JSON.parse(stdout);
  expect(quote).toMatchObject({ tenant_id: tenant.id, payer_total: 55_136, receiver_net: 9771 });
  expect(link).toMatchObject({ payer_total: quote.payer_total, receiver_net: quote.receiver_net });
  expect(payment).toMatchObject({
    link_id: link.id,
    gross_amount: quote.payer_total,
    net_amount: quote.receiver_net,
    reference: "order-1042",
    fx: quote.fx,
  });
  expect(page).toEqual({ data: [payment], has_more: false, next_cursor: null });
  expect(others).toEqual({ status: "succeeded", rate: quote.fx.rate, refused: "quote_consumed" });
});
