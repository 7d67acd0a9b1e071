/** The texts of sign-in in the OpenAPI document. */
export const createDescription = `Signs a user in with username or email address and password. The response sets the session cookie, the only place
where its value appears. If the request has the cookie of another session, that session ends.

If the user is unknown, has no password, is disabled or locked, or the password is wrong, the response is the same
and takes the same time. After several failures, further attempts must wait for the seconds in \`Retry-After\`. From a
browser this works only on pages of the same origin. There is no dry run and no \`Idempotency-Key\`: signing in again
creates another session.`
