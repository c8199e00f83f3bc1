import { Migration } from "@mikro-orm/migrations";

/** Who gets an e-mail of each payment that succeeds, and of which payments they got one: none until they wish it. */
export class Identity0021 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE payment_mail_reader (
      tenant_id text NOT NULL,
      user_id text NOT NULL,
      since timestamptz NOT NULL,
      looked_at timestamptz NOT NULL,
      look_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, user_id),
      FOREIGN KEY (tenant_id, user_id) REFERENCES membership ON DELETE CASCADE
    )`);
    this.addSql("CREATE INDEX payment_mail_reader_due ON payment_mail_reader (look_at)");
    this.addSql(`CREATE TABLE payment_mail (
      tenant_id text NOT NULL,
      user_id text NOT NULL,
      payment_id text NOT NULL,
      succeeded_at timestamptz NOT NULL,
      PRIMARY KEY (tenant_id, user_id, payment_id),
      FOREIGN KEY (tenant_id, user_id) REFERENCES payment_mail_reader ON DELETE CASCADE
    )`);
  }
}
