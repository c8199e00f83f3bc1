import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  UpdateTenantRequestSchema,
  type Profile,
  type Tenant,
} from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import { form } from "../form/form.ts";
import type { Sent } from "../form/sent.ts";
import { PICTURE_TYPES } from "../media/picture.ts";
import { PICTURE_BYTES_MAX, uploadedPicture } from "../media/uploaded.ts";
import { brandHead } from "../parts/brand.ts";
import { doneNotice } from "../parts/done.ts";
import { fileField, hiddenToken } from "../parts/form.ts";
import { FormProblem, NO_PROBLEMS } from "../problems.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { messagesIn, type MessageKey } from "./messages.ts";

const PATH = "/settings/profile";
const LOGO_PATH = `${PATH}/logo`;
const FIELDS = ["display_name", "logo_url", "color", "tax_id", "contact", "site"] as const;
type Name = (typeof FIELDS)[number];

type Changes = MessageInitShape<typeof UpdateTenantRequestSchema>;

/** Adds the form of how the company presents itself to payers. */
export function profileForm(routes: ConsoleRoutes, load: (visit: Visit) => Promise<Tenant>): void {
  form(routes, {
    permission: "settings.write",
    section: "/settings",
    messages: messagesIn,
    path: PATH,
    title: "profile",
    text: "profile_lead",
    request: UpdateTenantRequestSchema,
    fields: {
      opened: { kind: "hidden" },
      display_name: { kind: "text", label: "display_name", help: "display_name_help" },
      logo_url: { kind: "url", label: "logo_url", help: "logo_url_help", refused: "logo_url_refused" },
      color: {
        kind: "color",
        label: "color",
        pick: "color_pick",
        help: "color_help",
        refused: "color_refused",
      },
      tax_id: { kind: "text", label: "tax_id", refused: "tax_id_refused" },
      contact: { kind: "text", label: "contact", help: "contact_help", refused: "contact_refused" },
      site: { kind: "url", label: "site", refused: "site_refused" },
    },
    load,
    about: logoPart,
    initial: (tenant) => ({ opened: JSON.stringify(textsOf(tenant)), ...textsOf(tenant) }),
    act: async ({ core, as }, sent) => {
      await core.identity.updateTenant(changesOf(sent), as);
      return "/settings?done=saved";
    },
  });
}

/** Adds the change that uploads a logo, which becomes the company's at once. */
export function logoRoute(routes: ConsoleRoutes): void {
  routes.change(LOGO_PATH, "settings.write", {
    fileBytesMax: PICTURE_BYTES_MAX,
    act: async (visit) => {
      const { core, tenantId, as } = visit;
      const media = await uploadedPicture(visit);
      await core.identity.updateTenant({ tenantId, logoUrl: media?.url ?? "" }, as);
      return visit.goTo(visit.path(`${PATH}?done=logo`));
    },
  });
}

/** Returns the brand as payers see it, which a script keeps to what is typed, and the form of a logo. */
function logoPart(visit: Visit, { profile }: Tenant): Html {
  const t = messagesIn(visit.language);
  // The token comes first: the server takes no file from a form that is not ours.
  return html`${doneNotice(visit, t, { logo: "logo_saved" })} ${brandHead(visit, profile)}
    <form method="post" action="${visit.path(LOGO_PATH)}" enctype="multipart/form-data">
      ${hiddenToken(visit)}
      ${fileField({ name: "content", label: t("logo"), help: t("logo_help"), accept: PICTURE_TYPES, problems: NO_PROBLEMS })}
      <button>${t("logo_send")}</button>
    </form>`;
}

/** Returns the profile's fields with their labels, without those that are not given. */
export function profileFacts({ profile }: Tenant): readonly (readonly [MessageKey, string])[] {
  return Object.entries(textsOf({ profile })).filter(([, text]) => text !== "") as [Name, string][];
}

function textsOf({ profile }: { readonly profile?: Profile | undefined }): Record<Name, string> {
  const { displayName = "", logoUrl = "", color = "", taxId = "", contact = "", site = "" } = profile ?? {};
  return { display_name: displayName, logo_url: logoUrl, color, tax_id: taxId, contact, site };
}

/** Returns only the changed fields, so that the audit log shows what the user changed. Throws FormProblem. */
function changesOf(sent: Sent<MessageKey, Name | "opened", Tenant>): Changes {
  const before = textsOf(sent.loaded);
  // Otherwise this would silently undo another user's change.
  if (sent.text("opened") !== JSON.stringify(before)) throw new FormProblem("", sent.t("changed_meanwhile"));
  const changed = (name: Name): string | undefined => {
    const text = sent.text(name);
    return text === before[name] ? undefined : text;
  };
  return {
    tenantId: sent.loaded.id,
    displayName: changed("display_name"),
    logoUrl: changed("logo_url"),
    color: changed("color"),
    taxId: changed("tax_id"),
    contact: changed("contact"),
    site: changed("site"),
  };
}
