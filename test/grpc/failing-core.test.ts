import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { coreTransport } from "../../cli/core/core-transport.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { newAuthority } from "../support/certificates.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));

/** A peer that does this with what it is sent, and counts it. */
async function brokenPeer(
  onRequest: (socket: Socket) => void,
): Promise<{ url: string; asked: () => number }> {
  let asked = 0;
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .once("data", () => {
        asked++;
        onRequest(socket);
      });
  }).unref();
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

describe("a core whose connection fails", () => {
  const ways: [string, (socket: Socket) => void][] = [
    ["is reset", (socket) => socket.resetAndDestroy()],
    ["ends", (socket) => socket.end()],
    ["ends within the head", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-")],
    [
      "ends within the body",
      (socket) =>
        socket.end("HTTP/1.1 200 OK\r\nContent-Type: application/proto\r\nContent-Length: 9\r\n\r\n.."),
    ],
    ["does not use HTTP", (socket) => socket.end("220 mail.example ESMTP\r\n")],
  ];

  test.each(ways)("%s: a write is unavailable after one attempt", async (_how, onRequest) => {
    const [one, other] = [await brokenPeer(onRequest), await brokenPeer(onRequest)];
    const links = createClient(LinksService, coreTransport([one.url, other.url]));
    await expect(links.createPaymentLink({}, service.internal)).rejects.toMatchObject({ code: 14 });
    expect(one.asked() + other.asked()).toBe(1);
  });

  test.each(ways)("%s: a read is sent to the next one", async (_how, onRequest) => {
    const { url } = await brokenPeer(onRequest);
    const pricing = createClient(PricingService, coreTransport([url, `http://${ports.http1}`]));
    for (let turn = 0; turn < 2; turn++) {
      expect((await pricing.listSigningKeys({}, service.internal)).keys).not.toEqual([]);
    }
  });

  test("does not answer: a read is sent to the next one, and then no call is sent to it", async () => {
    const { url, asked } = await brokenPeer(() => undefined);
    const transport = coreTransport([`http://${ports.http1}`, url]);
    const pricing = createClient(PricingService, transport);
    const limit = { ...service.internal, timeoutMs: 10_000 };
    expect((await pricing.listSigningKeys({}, limit)).keys).not.toEqual([]);
    // The read, and the probe beside it.
    expect(asked()).toBe(2);
    const links = createClient(LinksService, transport);
    for (let turn = 0; turn < 4; turn++) {
      await expect(links.createPaymentLink({}, limit)).rejects.toMatchObject({ code: 3 });
    }
  });

  test("shows another authority's certificate: a write is sent to the next one, and unavailable without one", async () => {
    const [ours, other] = await Promise.all(["Ours", "Another"].map(newAuthority));
    const tls = await other?.issue();
    const strange = await openCorePorts(service.core, tls);
    const strangeUrl = `https://${strange.http1.replace("127.0.0.1", "localhost")}`;
    const trusted = { ca: ours?.cert ?? "" };
    const links = createClient(LinksService, coreTransport([strangeUrl, `http://${ports.http1}`], trusted));
    // In turns, until the first one rests.
    for (let turn = 0; turn < 4; turn++) {
      await expect(links.createPaymentLink({}, service.internal)).rejects.toMatchObject({ code: 3 });
    }
    const alone = createClient(LinksService, coreTransport([strangeUrl], trusted));
    await expect(alone.createPaymentLink({}, service.internal)).rejects.toMatchObject({ code: 14 });
    await strange.close();
  });

  test("breaks TLS off before it is open: a write is sent to the next one", async () => {
    const { url, asked } = await brokenPeer((socket) => socket.end());
    const tls = coreTransport([`http://${ports.http1}`, url.replace("http:", "https:")]);
    await expect(
      createClient(LinksService, tls).createPaymentLink({}, service.internal),
    ).rejects.toMatchObject({ code: 3 });
    expect(asked()).toBe(1);
  });

  test("opens no TLS in time: a write is sent to the next one", async () => {
    const { url } = await brokenPeer(() => undefined);
    const tls = coreTransport([`http://${ports.http1}`, url.replace("http:", "https:")]);
    const limit = { ...service.internal, timeoutMs: 10_000 };
    await expect(createClient(LinksService, tls).createPaymentLink({}, limit)).rejects.toMatchObject({
      code: 3,
    });
  });

  test("an error of the core itself is passed on", async () => {
    const links = createClient(LinksService, coreTransport([`http://${ports.http1}`]));
    await expect(links.createPaymentLink({}, {})).rejects.toMatchObject({ code: 16 });
  });
});
