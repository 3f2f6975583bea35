// The token is in the link's fragment, which browsers never send: it reaches no log and no Referer.

/** @returns the link to a page that spends a mailed token. */
export function tokenLink(publicUrl: string, page: "verify" | "reset", token: string): string {
  return `${publicUrl}/${page}#token=${token}`;
}

/** @returns the link with which an invited person creates an account. */
export function invitationLink(publicUrl: string, token: string, email: string): string {
  return `${publicUrl}/signup#invitation=${token}&email=${encodeURIComponent(email)}`;
}
