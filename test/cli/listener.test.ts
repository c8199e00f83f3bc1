import { fastify } from "fastify";
import { expect, test, vi } from "vitest";
import { listen } from "../../cli/serve/listener.ts";

test("at a host's name a listener takes one address, as Fastify's further servers have no bounds", async () => {
  const app = fastify();
  const listening = vi.spyOn(app, "listen");
  const around = {
    log: { info: vi.fn<() => void>() },
    ending: { addServer: vi.fn<() => void>() },
    certificates: { keep: vi.fn<() => void>() },
  };
  const at = { host: "localhost", port: 0 };
  await listen(around as never, { listener: "rest", app, files: undefined }, at);
  expect(listening.mock.calls).toHaveLength(1);
  expect(listening.mock.calls[0]?.[0]).toMatchObject({ host: expect.stringMatching(/^127\.|^::1$/) });
  await app.close();
});
