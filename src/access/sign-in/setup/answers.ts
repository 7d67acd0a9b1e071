/** The texts of the setup in the OpenAPI document. */
export const stateDescription = `Returns whether there is no active administrator yet among the users. If so, the link that the start prints in a
terminal, or \`rollbook admin link\`, creates one. Needs no credential, and reveals nothing else.`

export const completeDescription = `Creates the first administrator with the token of a one-time link, and signs them in. The user, the session, the
audit record and the events are one commit, which also uses up the link. The token has 256 random bits, is valid for
24 hours and for one use, and is replaced by a newer link. As soon as there is an active administrator, no link is
valid any longer.

From a browser this works only on pages of the same origin. There is no dry run and no \`Idempotency-Key\`: the link
works once, and after that you sign in.`
