import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { configAt } from "../provider-accounts/live-merchant.ts";
import { writeFiles, type Pair } from "../support/certificates.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const DAY_MS = 86_400_000;
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
if (!hasOpenssl) console.warn("There is no openssl here: files of PKCS#12 are not tried.");

/** Makes PKCS#12 of a certificate and its key, as a bank gives it. */
async function pkcs12Of(pair: Pair, passphrase: string, ...more: string[]): Promise<Buffer> {
  const { paths, remove } = await writeFiles({ cert: pair.cert, key: pair.key, p12: "" });
  const { cert, key, p12 } = paths;
  const files = ["-in", cert, "-inkey", key, "-out", p12];
  const made = spawnSync("openssl", [
    "pkcs12",
    "-export",
    ...files,
    "-passout",
    `pass:${passphrase}`,
    ...more,
  ]);
  const bytes = readFileSync(p12);
  await remove();
  if (made.status !== 0) throw new Error(String(made.stderr));
  return bytes;
}

describe.skipIf(!hasOpenssl)("a certificate in PKCS#12", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterAll(async () => await scene.close());

  const put = async (pkcs12: Buffer, passphrase: string) => {
    const { live } = scene;
    const merchant = await createMerchant(live.service, {}, "live");
    const config = configAt(live, { certificate: "", privateKey: "", pkcs12, passphrase });
    const request = { kind: ProviderKind.PIX, profile: "bacen", config };
    return { merchant, ...(await live.providers.putProviderAccount(request, merchant.as)) };
  };

  test.each(["", "secret"])(
    "with the passphrase %j is accepted, shows its end, and serves the bank",
    async (passphrase) => {
      const { identity } = scene.live;
      const { account, merchant } = await put(await pkcs12Of(identity, passphrase), passphrase);
      expect(account?.certificateSubject).toBe("CN=localhost");
      const pem = await scene.live.providers.rotateProviderAccount(
        { id: account?.id ?? "", config: configAt(scene.live) },
        merchant.as,
      );
      expect(account?.certificateExpiresAt).toEqual(pem.account?.certificateExpiresAt);
      const p12 = {
        certificate: "",
        privateKey: "",
        pkcs12: await pkcs12Of(identity, passphrase),
        passphrase,
      };
      const config = configAt(scene.live, p12);
      await scene.live.providers.rotateProviderAccount({ id: account?.id ?? "", config }, merchant.as);
      const payer = new Payer(scene.live.service, await merchant.newLink({ payment_methods: ["pix"] }));
      await payer.open();
      const { paymentId } = await payer.start();
      scene.live.bank.pay(paymentId.replace("_", ""), 15_990n);
      await scene.pass(60);
      expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
    },
  );

  test("with another passphrase, or in an old encryption, is refused with what to do", async () => {
    const { identity } = scene.live;
    await expect(put(await pkcs12Of(identity, "right"), "wrong")).rejects.toThrow("or passphrase is wrong");
    const old = await pkcs12Of(identity, "", "-legacy").catch(() => undefined);
    if (old) await expect(put(old, "")).rejects.toThrow("openssl pkcs12 -legacy");
  });

  test("case 15: that has ended says so", async () => {
    const { authority } = scene.live;
    const issued = await generate([{ name: "commonName", value: "localhost" }], {
      keyType: "ec",
      algorithm: "sha256",
      ca: { cert: authority.cert, key: authority.key },
      notBeforeDate: new Date(Date.now() - 2 * DAY_MS),
      notAfterDate: new Date(Date.now() - DAY_MS),
    });
    const pfx = await pkcs12Of({ cert: issued.cert, key: issued.private }, "");
    const { account, merchant } = await put(pfx, "");
    const request = { id: account?.id ?? "" };
    expect(await scene.live.providers.verifyProviderAccount(request, merchant.as)).toMatchObject({
      isAccepted: false,
      problem: expect.stringContaining("certificate_expired") as string,
    });
  });
});
