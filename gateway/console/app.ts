import type { Transport } from "@connectrpc/connect";
import multipart from "@fastify/multipart";
import type { FastifyInstance } from "fastify";
import { serveAssets } from "../pages/assets.ts";
import { acceptCookies } from "../pages/cookies.ts";
import { acceptForms } from "../pages/form.ts";
import { protectPages } from "../pages/protect.ts";
import { answerError } from "./answer-error.ts";
import { Cookies } from "./cookies.ts";
import { consoleCore } from "./core.ts";
import { Guard } from "./guard.ts";
import { ASSETS } from "./frame.ts";
import { ConsoleOrigin } from "./origin.ts";
import { ROOMS } from "./rooms.ts";
import { ConsoleRoutes } from "./routes.ts";
import { SIGN_IN_VERBS, signInPages } from "./signin/routes.ts";
import { COUNTED_BYTES_MAX, FORM_BYTES_MAX } from "./upload.ts";

export interface ConsoleOptions {
  readonly transport: Transport;
  readonly coreToken: string;
  /** The gateway's address in browsers. */
  readonly publicUrl: string;
  /** True: cookies lack Secure when publicUrl is http. Absent: false. */
  readonly allowsHttpConsole?: boolean;
  /** Address of hosted pictures in browsers. */
  readonly mediaBase: string;
}

const FIELDS_MAX = 50;
const BASE = "/console/:mode";

const routes = new ConsoleRoutes();
for (const room of ROOMS) room(routes);

/** All routes of the rooms, for tests that try every one. */
export const CONSOLE_ROUTES = routes.all;

/** The methods that each console address takes. Others are refused. */
export const CONSOLE_VERBS: Readonly<Record<string, readonly string[]>> = {
  "/console": ["GET", "HEAD"],
  "/console/*": ["GET", "HEAD"],
  ...SIGN_IN_VERBS,
  ...Object.fromEntries(
    [...Map.groupBy(routes.all, ({ path }) => path)].map(([path, same]) => {
      const isChanged = same.some(({ kind }) => kind === "change");
      return [`${BASE}${path}`, ["GET", "HEAD", ...(isChanged ? ["POST"] : [])]];
    }),
  ),
};

/** Adds the merchant's console. A GET changes nothing. A POST changes something and redirects to a page. */
export async function consolePages(app: FastifyInstance, options: ConsoleOptions): Promise<void> {
  await acceptForms(app, FORM_BYTES_MAX);
  await acceptCookies(app);
  await app.register(multipart, { limits: { files: 1, fields: FIELDS_MAX, fieldSize: FORM_BYTES_MAX } });
  const images = ["'self'", "data:", new URL(options.mediaBase).origin];
  await protectPages(app, { images, hasForms: true, referrer: "same-origin" });
  const origin = new ConsoleOrigin(options.publicUrl, options.allowsHttpConsole ?? false);
  const { transport, coreToken, mediaBase } = options;
  const guard = new Guard({
    core: consoleCore(transport),
    coreToken,
    origin,
    cookies: new Cookies(origin),
    mediaBase,
  });
  app.setErrorHandler(async (error, request, reply) => await answerError(guard, error, request, reply));
  serveAssets(app, ASSETS);
  signInPages(app, guard);
  addRoutes(app, guard);
}

function addRoutes(app: FastifyInstance, guard: Guard): void {
  const pages = new Set(routes.all.filter(({ kind }) => kind === "page").map(({ path }) => path));
  for (const route of routes.all) {
    const url = `${BASE}${route.path}`;
    if (route.kind === "page") {
      app.route({
        method: "GET",
        url,
        exposeHeadRoute: true,
        handler: async (request, reply) => await guard.page(route, request, reply),
      });
      continue;
    }
    const hasFile = route.fileBytesMax !== undefined;
    const bodyLimit = FORM_BYTES_MAX + (hasFile ? COUNTED_BYTES_MAX : 0);
    app.post(url, { bodyLimit }, async (request, reply) => await guard.change(route, request, reply));
    if (pages.has(route.path)) continue;
    pages.add(route.path);
    // The address of a form has no page. A user who reloads it is redirected to the section.
    app.route({
      method: "GET",
      url,
      exposeHeadRoute: true,
      handler: async ({ params }, reply) => {
        const { mode } = params as { mode: string };
        const [, section = ""] = route.path.split("/");
        return reply.redirect(`/console/${encodeURIComponent(mode)}/${section}`, 303);
      },
    });
  }
}
