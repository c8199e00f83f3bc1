import { Migration } from "@mikro-orm/migrations";

/** The table of pictures, and the request of each webhook attempt. */
export class Environment0007 extends Migration {
  up(): void {
    this.addSql(`CREATE TABLE media (
      tenant_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      byte_count int NOT NULL CHECK (byte_count > 0),
      width int NOT NULL CHECK (width > 0),
      height int NOT NULL CHECK (height > 0),
      sha256 text NOT NULL,
      created_at timestamptz NOT NULL,
      hidden_at timestamptz,
      PRIMARY KEY (tenant_id, id)
    )`);
    // Null for earlier attempts.
    this.addSql(`ALTER TABLE webhook_attempt ADD COLUMN request_url text, ADD COLUMN request_headers json`);
  }
}
