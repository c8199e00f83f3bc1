/** The paths of a server's PEM files. */
export interface ServerTlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Clients must present a certificate signed by one of these authorities. */
  readonly clientCa: string | undefined;
  /** True: clients are asked for a certificate, and may present any or none. */
  readonly asksForAny?: boolean;
}

/** The paths of a client's PEM files. */
export interface ClientTlsFiles {
  /** Authorities to trust instead of the system's. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** The checked variables of TLS. */
export interface TlsConfig {
  /** Absent: REST in cleartext. */
  readonly gatewayTls: ServerTlsFiles | undefined;
  /** Absent: both ports of the core in cleartext. */
  readonly coreTls: ServerTlsFiles | undefined;
  /** The trusted authorities and the certificate of the core's clients. */
  readonly coreClientTls: ClientTlsFiles;
}

type Text = (name: string) => string | undefined;

/** Reads the variables of TLS. Throws the error of `fail`, which gets one line for the operator. */
export function readTlsConfig(text: Text, fail: (problem: string) => Error): TlsConfig {
  const pair = (certName: string, keyName: string): { cert: string; key: string } | undefined => {
    const [cert, key] = [text(certName), text(keyName)];
    if (cert !== undefined && key !== undefined) return { cert, key };
    if (cert !== undefined || key !== undefined) throw fail(`${certName} and ${keyName} are set together.`);
    return undefined;
  };
  const gateway = pair("TLS_CERT", "TLS_KEY");
  const core = pair("CORE_TLS_CERT", "CORE_TLS_KEY");
  const clientCa = text("CORE_TLS_CLIENT_CA");
  if (clientCa !== undefined && !core) throw fail("CORE_TLS_CLIENT_CA needs CORE_TLS_CERT and CORE_TLS_KEY.");
  const client = pair("CORE_CLIENT_CERT", "CORE_CLIENT_KEY");
  return {
    gatewayTls: gateway && { ...gateway, clientCa: undefined },
    coreTls: core && { ...core, clientCa },
    coreClientTls: { ca: text("CORE_CA"), cert: client?.cert, key: client?.key },
  };
}
