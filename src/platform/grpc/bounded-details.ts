import { create, toBinary, type DescMessage } from "@bufbuild/protobuf";
import { ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "#schemas/google/rpc/error_details_pb.js";

// gRPC-Web has its trailers in the body, and Connect its details.
const GRPC = /^application\/grpc(?:$|[+;])/;
// In base64, with the message beside them, less than the 8 KiB of headers that clients in Java and Python take by default.
const BYTES_MAX = 5000;
const TEXT_MAX = 256;
const VIOLATIONS_MAX = 16;

type Detail = ConnectError["details"][number];

/**
 * Keeps the details of an error within the trailers that gRPC's clients take: else they see another error in place of this
 * one. Long texts are cut, and the first of many violations stay.
 */
export function boundDetails(): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      if (error instanceof ConnectError && GRPC.test(request.header.get("content-type") ?? "")) {
        error.details = bounded(error.details);
      }
      throw error;
    }
  };
}

function bounded(details: readonly Detail[]): Detail[] {
  let short = [...details];
  for (let most = VIOLATIONS_MAX; bytesOf(short) > BYTES_MAX; most >>= 1) {
    if (most === 0) return [];
    short = short.map((detail) => shortened(detail, most));
  }
  return short;
}

function bytesOf(details: readonly Detail[]): number {
  return details.reduce((sum, detail) => {
    const bytes = "desc" in detail ? toBinary(detail.desc, valueOf(detail.desc, detail)) : detail.value;
    return sum + bytes.length;
  }, 0);
}

function shortened(detail: Detail, most: number): Detail {
  if (!("desc" in detail)) return detail;
  const { typeName } = detail.desc;
  if (typeName === ErrorInfoSchema.typeName) {
    const value = valueOf(ErrorInfoSchema, detail);
    const metadata = Object.entries(value.metadata).map(([name, text]) => [name, cut(text)] as const);
    return { desc: ErrorInfoSchema, value: { ...value, metadata: Object.fromEntries(metadata) } };
  }
  if (typeName === BadRequestSchema.typeName) {
    const { fieldViolations } = valueOf(BadRequestSchema, detail);
    const kept = fieldViolations.slice(0, most).map((one) => ({ ...one, field: cut(one.field) }));
    return { desc: BadRequestSchema, value: { fieldViolations: kept } };
  }
  if (typeName === ViolationsSchema.typeName) {
    const { violations } = valueOf(ViolationsSchema, detail);
    return { desc: ViolationsSchema, value: { violations: violations.slice(0, most) } };
  }
  return detail;
}

/** Returns the message of a detail, which may be given as its fields alone. */
function valueOf<Desc extends DescMessage>(desc: Desc, { value }: Detail) {
  return create(desc, value as Parameters<typeof create<Desc>>[1]);
}

function cut(text: string): string {
  return text.slice(0, TEXT_MAX).toWellFormed();
}
