import { timestampFromMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import {
  CreateApiKeyRequestSchema,
  RotateApiKeyRequestSchema,
  type ApiKey,
} from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { form } from "../form/form.ts";
import type { ShownOnce } from "../form/once.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import { MODES, type Visit } from "../visit.ts";
import { keysList, keysOf } from "./list.ts";
import { LEAST_SCOPES, mayGive, scopesOf } from "./scopes.ts";
import { isExpired, keyFacts } from "./views.ts";
import { messagesIn, type Translate } from "./messages.ts";

const DAY_MS = 86_400_000;
/** Choices of days until a new key expires; empty: never. */
const EXPIRY_DAYS = ["", "30", "90", "365"] as const;
/** What a new key begins with. */
const USUAL_DAYS: (typeof EXPIRY_DAYS)[number] = "365";
/** Choices of seconds for which a replaced key stays valid. */
const OVERLAPS = [
  ["0", "overlap_none"],
  ["3600", "overlap_hour"],
  ["86400", "overlap_day"],
  ["604800", "overlap_week"],
] as const;

const ROOM = {
  permission: "keys.write",
  section: "/keys",
  messages: messagesIn,
  asksPassword: true,
} as const;

/** Adds the pages for API keys of the page's environment. */
export function keysRoom(routes: ConsoleRoutes): void {
  keysList.addTo(routes);
  form(routes, {
    ...ROOM,
    path: "/keys/new",
    title: "new_title",
    button: "create",
    request: CreateApiKeyRequestSchema,
    fields: {
      name: { kind: "text", label: "name", help: "name_help" },
      // To the core, an empty list means every scope.
      scopes: {
        kind: "checkbox",
        label: "scopes",
        help: "scopes_help",
        options: (t, visit) => scopesOf(visit).map((scope) => [scope, t(scope)]),
        missing: "scopes_none",
      },
      expires: {
        kind: "select",
        label: "expires",
        options: (t) => EXPIRY_DAYS.map((days) => [days, days === "" ? t("no_end") : t("in_days", { days })]),
        fills: "expires_at",
      },
      addresses: {
        kind: "lines",
        label: "addresses",
        help: "addresses_help",
        refused: "addresses_refused",
      },
    },
    initial: () => ({ scopes: LEAST_SCOPES, expires: USUAL_DAYS }),
    onlyOnce: true,
    act: async (visit, sent) => {
      const { tenantId, mode, core, as } = visit;
      const request = {
        tenantId,
        mode: MODES[mode],
        name: sent.text("name"),
        scopes: sent.texts("scopes"),
        addresses: sent
          .text("addresses")
          .split(/[\s,;]+/)
          .filter(Boolean),
        ...expiryOf(sent.choice("expires")),
        ...sent.submission,
      };
      return made(sent.t, (await core.identity.createApiKey(request, as)).key);
    },
  });
  form(routes, {
    ...ROOM,
    path: "/keys/:id/rotate",
    title: "rotate_title",
    text: "rotate_text",
    button: "rotate_yes",
    about: keyFacts,
    request: RotateApiKeyRequestSchema,
    fields: {
      overlap: {
        kind: "select",
        label: "overlap",
        options: (t) => OVERLAPS.map(([seconds, key]) => [seconds, t(key)]),
        fills: "overlap_seconds",
      },
    },
    load: rotatableKeyOf,
    initial: () => ({ overlap: "86400" }),
    onlyOnce: true,
    act: async ({ core, tenantId, as }, sent) => {
      const { id } = sent.loaded;
      const overlapSeconds = BigInt(sent.choice("overlap"));
      const request = { id, tenantId, overlapSeconds, ...sent.submission };
      return made(sent.t, (await core.identity.rotateApiKey(request, as)).key);
    },
    // Only its successor can be rotated. The core's reason is in English.
    explain: (t, problems, { replacedBy }) =>
      replacedBy && (problems.size === 0 || problems.has("id"))
        ? new Map([["", t("replaced_already")]])
        : problems,
  });
  form(routes, {
    ...ROOM,
    path: "/keys/:id/revoke",
    title: "revoke_title",
    text: "revoke_text",
    button: "revoke_yes",
    about: keyFacts,
    isDangerous: true,
    load: activeKeyOf,
    act: async ({ core, tenantId, as }, { loaded: { id } }) => {
      await core.identity.revokeApiKey({ id, tenantId }, as);
      return "/keys?done=revoked";
    },
  });
}

function made(t: Translate, key: string): ShownOnce {
  return {
    title: t("made_title"),
    text: t("made_once"),
    id: "key",
    value: key,
    label: t("made_label"),
    done: t("made_done"),
    path: "/keys",
  };
}

/** Returns the key in the path. Throws Refused when it is unknown in this tenant and environment, or revoked. */
async function activeKeyOf(visit: Visit): Promise<ApiKey> {
  const id = visit.part("id");
  const key = (await keysOf(visit)).find((one) => one.id === id);
  if (!key || key.revokedAt) throw new Refused("unknown", visit);
  return key;
}

/**
 * Returns the key in the path. Throws Refused as `activeKeyOf` does, when the key has expired, and when the user may not
 * give its scopes: the user would see a key that does more than they may.
 */
async function rotatableKeyOf(visit: Visit): Promise<ApiKey> {
  const key = await activeKeyOf(visit);
  if (isExpired(key)) throw new Refused("unknown", visit);
  if (!mayGive(visit, key.scopes)) throw new Refused("forbidden", visit);
  return key;
}

function expiryOf(days: string): { expiresAt?: Timestamp } {
  return days === "" ? {} : { expiresAt: timestampFromMs(Date.now() + Number(days) * DAY_MS) };
}
