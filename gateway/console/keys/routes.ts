import { timestampFromMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import type { ApiKey } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { showOnce } from "../fields/submission.ts";
import { FormProblem, NO_PROBLEMS, problemsOf, type Problems } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { MODES, type Visit } from "../visit.ts";
import { keysList, keysOf } from "./list.ts";
import { SCOPES } from "./scopes.ts";
import {
  EXPIRY_DAYS,
  isExpired,
  madePage,
  newPage,
  OVERLAPS,
  revokePage,
  rotatePage,
  type TypedKey,
} from "./views.ts";
import { messagesIn } from "./messages.ts";

const PROBLEM_STATUS = 422;
const OVERLAP_DEFAULT = "86400";
const DAY_MS = 86_400_000;
const NOTHING_TYPED = { name: "", expires: "", addresses: "" };

/** Adds the pages for API keys of the page's environment. */
export function keysRoom(routes: ConsoleRoutes): void {
  keysList.addTo(routes);
  routes.page(
    "/keys/new",
    "keys.write",
    async (visit) => await visit.show(newPage(visit, NO_PROBLEMS, { ...NOTHING_TYPED, scopes: SCOPES })),
  );
  routes.change("/keys/new", "keys.write", {
    isConfirmed: true,
    act: async (visit) => {
      const { name, scopes, expires, addresses } = typedIn(visit);
      // To the core, an empty list means every scope.
      if (scopes.length === 0) throw new FormProblem("scopes", messagesIn(visit.language)("scopes_none"));
      const { tenantId, mode } = visit;
      const request = {
        tenantId,
        mode: MODES[mode],
        name,
        scopes: [...scopes],
        addresses: addresses.split(/[\s,;]+/).filter(Boolean),
        ...expiryOf(expires),
      };
      return await showOnce(visit, "/keys", async (submission) => {
        const made = visit.core.identity.createApiKey({ ...request, ...submission }, visit.as);
        const { key } = await made.catch((error: unknown) => {
          throw addressProblem(visit, error) ?? error;
        });
        return await visit.show(madePage(visit, key));
      });
    },
    refused: async (visit, problems) =>
      await visit.show(newPage(visit, problems, typedIn(visit)), PROBLEM_STATUS),
  });
  routes.page("/keys/:id/rotate", "keys.write", async (visit) => {
    const key = await rotatableKeyOf(visit);
    return await visit.show(rotatePage(visit, key, replacedProblems(visit, key), OVERLAP_DEFAULT));
  });
  routes.change("/keys/:id/rotate", "keys.write", {
    isConfirmed: true,
    act: async (visit) => {
      const { id } = await activeKeyOf(visit);
      const { tenantId } = visit;
      const overlapSeconds = BigInt(overlapIn(visit));
      return await showOnce(visit, "/keys", async (submission) => {
        const request = { id, tenantId, overlapSeconds, ...submission };
        const { key } = await visit.core.identity.rotateApiKey(request, visit.as);
        return await visit.show(madePage(visit, key));
      });
    },
    refused: async (visit, problems) => {
      const key = await activeKeyOf(visit);
      // The core's reason for the refusal is in English.
      const told = problems.has("id") && key.replacedBy ? replacedProblems(visit, key) : problems;
      return await visit.show(rotatePage(visit, key, told, overlapIn(visit)), PROBLEM_STATUS);
    },
  });
  routes.page(
    "/keys/:id/revoke",
    "keys.write",
    async (visit) => await visit.show(revokePage(visit, NO_PROBLEMS, await activeKeyOf(visit))),
  );
  routes.change("/keys/:id/revoke", "keys.write", {
    isConfirmed: true,
    act: async (visit) => {
      const { id } = await activeKeyOf(visit);
      await visit.core.identity.revokeApiKey({ id, tenantId: visit.tenantId }, visit.as);
      return visit.goTo(visit.path("/keys?done=revoked"));
    },
    refused: async (visit, problems) =>
      await visit.show(revokePage(visit, problems, await activeKeyOf(visit)), PROBLEM_STATUS),
  });
}

/** Returns the key in the path. Throws Refused when it is unknown in this tenant and environment, or revoked. */
async function activeKeyOf(visit: Visit): Promise<ApiKey> {
  const id = visit.part("id");
  const key = (await keysOf(visit)).find((one) => one.id === id);
  if (!key || key.revokedAt) throw new Refused("unknown", visit);
  return key;
}

/** Returns the key in the path. Throws Refused as `activeKeyOf` does, and when the key has expired. */
async function rotatableKeyOf(visit: Visit): Promise<ApiKey> {
  const key = await activeKeyOf(visit);
  if (isExpired(key)) throw new Refused("unknown", visit);
  return key;
}

/** Returns the problem of a key that was already replaced: only its successor can be rotated. */
function replacedProblems(visit: Visit, { replacedBy }: ApiKey): Problems {
  return replacedBy ? new Map([["", messagesIn(visit.language)("replaced_already")]]) : NO_PROBLEMS;
}

function typedIn(visit: Visit): TypedKey {
  const days = visit.text("expires");
  return {
    name: visit.text("name").trim(),
    scopes: visit.texts("scopes"),
    expires: EXPIRY_DAYS.find((known) => known === days) ?? "",
    addresses: visit.text("addresses"),
  };
}

function expiryOf(days: string): { expiresAt?: Timestamp } {
  return days === "" ? {} : { expiresAt: timestampFromMs(Date.now() + Number(days) * DAY_MS) };
}

function overlapIn(visit: Visit): string {
  const typed = visit.text("overlap");
  return OVERLAPS.find(([seconds]) => seconds === typed)?.[0] ?? OVERLAP_DEFAULT;
}

/** Returns the problem of a refused address: the core's reason is in English. */
function addressProblem(visit: Visit, error: unknown): FormProblem | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  const isOfAddresses = problemsOf(error, visit.t)?.has("addresses") ?? false;
  return isOfAddresses
    ? new FormProblem("addresses", messagesIn(visit.language)("addresses_refused"))
    : undefined;
}
