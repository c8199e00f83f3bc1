/** The page at which a one-time link is used; publicUrl is the gateway's address as browsers see it. */
export function invitationLink(publicUrl: string, token: string): string {
  return `${publicUrl.replace(/\/$/, "")}/console/invitations/${token}`;
}
