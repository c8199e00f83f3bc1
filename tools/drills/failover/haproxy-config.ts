interface Server {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
}

/** HAProxy on one port: connections go to the member that Patroni calls the primary, and end when it no longer is. */
export function haproxyConfig(port: number, servers: readonly Server[]): string {
  const lines = servers.map(
    ({ name, port: serverPort, restPort }) =>
      `  server ${name} 127.0.0.1:${serverPort} check port ${restPort}`,
  );
  return `global
  maxconn 1000
defaults
  mode tcp
  retries 1
  timeout connect 2s
  timeout client 24h
  timeout server 24h
  timeout check 2s
  option clitcpka
  option srvtcpka
listen paylink
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fastinter 500ms downinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${lines.join("\n")}
`;
}
