import { createRouterTransport } from "@connectrpc/connect";
import { X509Certificate } from "node:crypto";
import { Agent, request } from "undici";
import { expect, test } from "vitest";
import { createGateway } from "../../gateway/app.ts";
import { ProvidersService } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { newAuthority } from "../support/certificates.ts";

test("a TLS gateway asks for a client certificate, passes it on, and demands none", async () => {
  const authority = await newAuthority("Bank CA");
  const [server, client] = await Promise.all([authority.issue(), authority.issue()]);
  const taken: Uint8Array[][] = [];
  const transport = createRouterTransport(({ service }) => {
    service(ProvidersService, {
      takeCallback: ({ certificates }) => {
        taken.push(certificates);
        return {};
      },
    });
  });
  const gateway = createGateway({
    transport,
    services: [],
    coreToken: "t",
    versions: [{ name: "v1" }],
    logger: false,
    publicUrl: "https://localhost",
    mediaBase: "https://localhost/media",
    isReady: async () => await Promise.resolve(true),
    tls: server,
  });
  const address = await gateway.listen({ host: "127.0.0.1", port: 0 });
  for (const identity of [client, {}]) {
    const dispatcher = new Agent({ connect: { ca: authority.cert, servername: "localhost", ...identity } });
    const { statusCode } = await request(`${address}/providers/s/pix`, {
      method: "POST",
      body: "{}",
      dispatcher,
    });
    expect(statusCode).toBe(200);
    await dispatcher.destroy();
  }
  await gateway.close();
  expect(taken).toHaveLength(2);
  expect(taken[1]).toEqual([]);
  expect(Buffer.from(taken[0]?.[0] ?? [])).toEqual(new X509Certificate(client.cert).raw);
});
