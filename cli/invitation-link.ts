/** Returns the address of the page for a one-time link. publicUrl is the gateway's address in browsers. */
export function invitationLink(publicUrl: string, token: string): string {
  return `${publicUrl.replace(/\/$/, "")}/console/invitations/${token}`;
}
