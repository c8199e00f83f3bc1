import { startLive, type LiveService } from "../provider-accounts/live-merchant.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import type { Merchant } from "../support/merchant.ts";
import type { RoleName } from "../../contract/roles.ts";

export const PAGE = "/console/live/providers";
export const EN = "?lang=en";

/** The pages of a live mode that can reach a bank on this machine. */
export class ProviderPages {
  readonly live: LiveService;
  readonly rows: DatabaseRows;

  private constructor(live: LiveService, rows: DatabaseRows) {
    this.live = live;
    this.rows = rows;
  }

  /** Starts what a file's tests share, and closes it after them. */
  static async forFile(): Promise<ProviderPages> {
    const live = await forFile(startLive());
    return new ProviderPages(live, await forFile(new DatabaseRows(live.service.databaseUrl).open()));
  }

  /** A new user of a tenant, signed in. */
  async user(tenantId: string, role: RoleName): Promise<ConsoleClient> {
    const { service } = this.live;
    return new ConsoleClient(service, await createUser(service, tenantId, role));
  }

  async owner({ tenant }: Merchant): Promise<ConsoleClient> {
    return await this.user(tenant.id, "owner");
  }
}
