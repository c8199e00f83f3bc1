import type { ServiceImpl } from "@connectrpc/connect";
import type { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import type { Caller, Mode } from "../platform/rpc/caller.ts";
import type { LinksDeps } from "./deps.ts";
import type { PaymentLinkRow } from "./entities.ts";
import { expireDue } from "./expiry.ts";
import { linkRpcs } from "./link-rpcs.ts";
import { requireLink } from "./repository.ts";

/** The links room: its RPCs, and its functions for other rooms. */
export class Links {
  readonly #deps: LinksDeps;
  readonly rpcs: ServiceImpl<typeof LinksService>;

  constructor(deps: LinksDeps) {
    this.#deps = deps;
    this.rpcs = linkRpcs(deps);
  }

  /** Expires the links of one mode that are past their time. Returns their number. */
  async expireDue(mode: Mode): Promise<number> {
    const { environments, clock, checkoutBase, recordEvents } = this.#deps;
    return await expireDue({ environment: environments[mode], mode, clock, checkoutBase, recordEvents });
  }

  /** Returns the caller's link. Error: payment_link_not_found. */
  find({ mode, tenantId }: Caller, id: string): Promise<PaymentLinkRow> {
    return requireLink(this.#deps.environments[mode], tenantId, id);
  }
}
