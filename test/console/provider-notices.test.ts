import { describe, expect, test } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { configAt, connectMerchant } from "../provider-accounts/live-merchant.ts";
import { createMerchant } from "../support/merchant.ts";
import { PASSWORD } from "../support/users.ts";
import { EN, PAGE, ProviderPages } from "./provider-pages.ts";

const DAY_MS = 86_400_000;

const pages = await ProviderPages.forFile();
const { live, rows } = pages;

describe("a certificate's end", () => {
  test.each([
    [31, undefined],
    [29, "Ends within 30 days"],
    [6, "Ends within 7 days"],
    [0.5, "Ends within 1 day"],
    [-1, "Has ended"],
  ])("in %s days is said so on the accounts page and at home", async (days, badge) => {
    const merchant = await connectMerchant(live);
    const by = await pages.owner(merchant);
    const end = new Date(Date.now() + days * DAY_MS);
    await rows.run("UPDATE live.provider_account SET certificate_not_after = $2 WHERE id = $1", [
      merchant.accountId,
      end,
    ]);
    const [list, home] = [(await by.get(PAGE + EN)).body, (await by.get(`/console/live${EN}`)).body];
    if (badge === undefined) {
      expect(list).not.toContain("Ask the bank for a new one");
      expect(home).not.toContain(`${PAGE}/${merchant.accountId}`);
    } else {
      expect(list).toContain(badge);
      expect(list).toContain("Ask the bank for a new one");
      expect(home).toContain(`${PAGE}/${merchant.accountId}`);
    }
    await live.providers.retireProviderAccount({ id: merchant.accountId }, merchant.as);
    expect((await by.get(PAGE + EN)).body).not.toContain("Ask the bank for a new one");
  });
});

describe("money without a charge", () => {
  test("is listed with its account", async () => {
    const merchant = await createMerchant(live.service, {}, "live");
    const by = await pages.owner(merchant);
    expect((await by.get(`${PAGE}/unknown${EN}`)).body).toContain("every amount has its charge");
    const request = { kind: ProviderKind.PIX, profile: "bacen", config: configAt(live) };
    const { account } = await live.providers.putProviderAccount(request, merchant.as);
    await rows.run(
      `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at)
       VALUES ($1, $2, 'E1234567820261120150000000001', 12345, now(), now())`,
      [merchant.tenant.id, account?.id],
    );
    const { body } = await by.get(`${PAGE}/unknown${EN}`);
    for (const text of ["E1234567820261120150000000001", "R$123.45", account?.id])
      expect(body).toContain(text);
    expect((await by.get(`/console/live${EN}`)).body).toContain(`${PAGE}/unknown`);
  });

  test("is settled by an owner with a password and a note, and is then on a page of its own", async () => {
    const merchant = await connectMerchant(live);
    const by = await pages.owner(merchant);
    // As a bank may name it.
    const endToEndId = "E1/é ?<b>";
    await rows.run(
      `INSERT INTO live.unknown_money (tenant_id, account_id, end_to_end_id, amount_minor, received_at, created_at)
       VALUES ($1, $2, $3, 12345, now(), now())`,
      [merchant.tenant.id, merchant.accountId, endToEndId],
    );
    const path = `${PAGE}/${merchant.accountId}/unknown/${encodeURIComponent(endToEndId)}/settle`;
    expect((await by.get(`${PAGE}/unknown${EN}`)).body).toContain(path);
    const sent = async (given: Record<string, string>) => await by.post(path, path + EN, given);
    expect((await sent({ note: "back", password: "not mine" })).statusCode).toBe(422);
    expect((await sent({ note: "", password: PASSWORD })).statusCode).toBe(422);
    expect((await sent({ note: "x".repeat(141), password: PASSWORD })).statusCode).toBe(422);
    for (const role of ["finance", "developer", "viewer"] as const) {
      expect((await (await pages.user(merchant.tenant.id, role)).get(path)).statusCode).toBe(403);
    }
    expect((await sent({ note: "Sent back <today>", password: PASSWORD })).headers.location).toBe(
      `${PAGE}/unknown?done=settled`,
    );
    expect((await by.get(`${PAGE}/unknown${EN}`)).body).toContain("None is open");
    const { body } = await by.get(`${PAGE}/unknown/settled${EN}`);
    for (const text of ["Sent back &lt;today&gt;", "R$123.45", "E1/é ?&lt;b&gt;"])
      expect(body).toContain(text);
    expect((await by.get(`/console/live${EN}`)).body).not.toContain(`${PAGE}/unknown`);
    expect((await by.get(path)).statusCode).toBe(404);
    expect((await by.get(`/console/live/audit${EN}`)).body).toContain("Settled money without a charge");
  });
});
