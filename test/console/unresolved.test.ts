import { describe, expect, test } from "vitest";
import { RefundScene } from "../refunds/scene.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await createMerchant(service);
const clientOf = async (role: "owner" | "viewer") =>
  new ConsoleClient(service, await createUser(service, merchant.tenant.id, role));
const [owner, viewer] = [await clientOf("owner"), await clientOf("viewer")];

describe("money that needs a person", () => {
  test("is under one entry of the navigation, whichever of its lists is open", async () => {
    const pages = ["payments/exceptions", "providers/unknown", "payments/disputes", "payments/overdue"];
    for (const page of [...pages, "providers/unknown/settled"]) {
      const { body, statusCode } = await owner.get(`/console/live/${page}?lang=en`);
      expect(statusCode).toBe(200);
      expect(body).toMatch(
        /href="\/console\/live\/payments\/exceptions"\s+aria-current="page"\s*>To resolve/,
      );
      expect(body.match(/<nav class="sections"[^]*?<\/nav>/)?.[0].match(/aria-current/g)).toHaveLength(1);
    }
    for (const page of pages) {
      const { body } = await owner.get(`/console/live/${page}`);
      for (const other of pages) expect(body).toContain(`href="/console/live/${other}"`);
      expect(body).toMatch(
        new RegExp(
          `class="quick" aria-label="To resolve"[^]*href="/console/live/${page}"\\s+aria-current="page"`,
        ),
      );
    }
  });

  test("leads no one to a list that they may not see", async () => {
    const { body } = await viewer.get("/console/live/payments/exceptions");
    expect(body).toContain("/console/live/payments/disputes");
    expect(body).not.toContain("/providers/unknown");
  });
});

test("the list of refunds has those of payments and of exceptions, and returns, of this company alone", async () => {
  const scene = new RefundScene(service, merchant, rows);
  const id = await scene.paidByPix();
  const { body: refund } = await scene.refund(id, { amount: 1234 });
  await scene.returnedByProvider(id, 500n);
  await scene.refresh(id);
  const page = async (client: ConsoleClient, language: string) =>
    textOf((await client.get(`/console/test/payments/refunds?lang=${language}`)).body);
  const text = await page(viewer, "pt-BR");
  expect(text).toMatch(/provedor devolvida .* R\$ 5,00/);
  expect(text).toMatch(/sua empresa devolvida .* R\$ 12,34/);
  expect(text).toContain("Linhas 1 a 2 de 2");
  expect((await viewer.get("/console/test/payments/refunds")).body).toContain(`title="${refund.id}"`);
  expect((await viewer.get("/console/test/payments")).body).toContain(
    'href="/console/test/payments/refunds"',
  );
  const other = await createMerchant(service);
  const stranger = new ConsoleClient(service, await createUser(service, other.tenant.id, "owner"));
  expect(await page(stranger, "en")).toContain("Nothing was refunded so far.");
  expect((await viewer.get("/console/live/payments/refunds")).body).not.toContain(refund.id);
});
