import { Agent, get } from "node:http";
import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { png } from "../support/pictures.ts";
import { startService } from "../support/service.ts";

const AT_ONCE = 300;
const LOOKS = 30;

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(startService("direct", { mediaStorage }));
const address = new URL(await service.gateway.listen({ host: "127.0.0.1", port: 0 }));

/** A client in a network of its own. */
function clientAt(localAddress: string): { readonly agent: Agent; status(path: string): Promise<number> } {
  const agent = new Agent({ keepAlive: true, localAddress });
  const status = async (path: string): Promise<number> =>
    await new Promise((resolve, reject) => {
      const options = { agent, headers: { "if-none-match": "*" } };
      const request = get(new URL(path, address), options, (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode ?? 0));
      });
      request.once("error", reject);
    });
  return { agent, status };
}

test("a network that asks for very many pictures at once keeps no other from its own", async () => {
  const uploader = new Uploader(service, await service.createTenant());
  const { id } = await uploader.upload(await png());
  const path = `/media/${id}.webp`;
  const [flood, visitor] = [clientAt("127.0.0.1"), clientAt("127.0.9.1")];
  let isOver = false;
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) await flood.status(path);
  });
  const statuses: number[] = [];
  for (let look = 0; look < LOOKS; look++) statuses.push(await visitor.status(path));
  isOver = true;
  await Promise.all(lanes);
  for (const { agent } of [flood, visitor]) agent.destroy();
  expect(statuses).toEqual(statuses.map(() => 304));
});
