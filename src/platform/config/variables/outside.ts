import { CORES, type Variable } from "./variable.ts";

const BUCKET = {
  MEDIA_S3_URL: "https://s3.example.com/pictures",
  MEDIA_S3_REGION: "sa-east-1",
  MEDIA_S3_ACCESS_KEY_ID: "an-example-id",
  MEDIA_S3_SECRET_ACCESS_KEY: "an-example-that-is-no-secret",
};
const MAIL = { SMTP_URL: "smtps://user:password@smtp.example.com:465", MAIL_FROM: "Shop <pay@example.com>" };

type Bucket = keyof typeof BUCKET;

/** A variable of the bucket, which needs the other three. */
function inBucket(name: Bucket, absent: string, text: string): Variable {
  const needs = Object.fromEntries(Object.entries(BUCKET).filter(([other]) => other !== name));
  return { name, absent, readBy: CORES, example: BUCKET[name], needs, text };
}

/** Servers outside: pictures, e-mail and the live rate. */
export const OUTSIDE: readonly Variable[] = [
  inBucket(
    "MEDIA_S3_URL",
    "`DATA_DIR/media`",
    "An S3 bucket for pictures, `https://host/bucket`. Several machines need one.",
  ),
  inBucket("MEDIA_S3_REGION", "none", "The region of the bucket."),
  inBucket("MEDIA_S3_ACCESS_KEY_ID", "none", "The id of the access key that may read and write the bucket."),
  inBucket("MEDIA_S3_SECRET_ACCESS_KEY", "none", "The secret of that access key."),
  {
    name: "SMTP_URL",
    absent: "no e-mail",
    readBy: CORES,
    example: MAIL.SMTP_URL,
    needs: { MAIL_FROM: MAIL.MAIL_FROM },
    text: "The server that takes [e-mails](operations.md#e-mail), for invitations, new passwords and what needs a person; or `smtp://…:587` with STARTTLS, which is required off this machine. The same for every core and worker.",
  },
  {
    name: "MAIL_FROM",
    absent: "no e-mail",
    readBy: CORES,
    example: MAIL.MAIL_FROM,
    needs: { SMTP_URL: MAIL.SMTP_URL },
    text: "The sender of e-mails: an address, or a name and an address.",
  },
  {
    name: "SMTP_CA",
    absent: "the system's authorities",
    readBy: CORES,
    example: "/etc/paylink/smtp-ca.crt",
    needs: MAIL,
    text: "A PEM file: an authority besides the system's to trust the server by.",
  },
  {
    name: "FX_SOURCE",
    default: "manual",
    readBy: CORES,
    example: "ptax",
    text: "`ptax`: workers fetch live mode's exchange rate ([pricing](pricing.md#the-live-rate)). Set it for every worker, which must reach `PTAX_URL`. `manual`: people publish it.",
  },
  {
    name: "PTAX_URL",
    default: "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata",
    readBy: CORES,
    example: "http://localhost:9090/odata",
    needs: { FX_SOURCE: "ptax" },
    text: "The address of the central bank's service of rates.",
  },
  {
    name: "PTAX_MAX_AGE_SECONDS",
    default: "108000",
    readBy: CORES,
    example: "86400",
    needs: { FX_SOURCE: "ptax" },
    text: "The age of a fetched rate, in seconds of bank-open time, past which it is not used.",
  },
];
