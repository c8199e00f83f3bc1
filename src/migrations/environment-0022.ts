import { Migration } from "@mikro-orm/migrations";

/** Money that went back by the day on which it left, for the sums of a day. */
export class Environment0022 extends Migration {
  up(): void {
    this.addSql(`CREATE INDEX refund_left ON refund (tenant_id, updated_at) WHERE status = 'succeeded'`);
  }
}
