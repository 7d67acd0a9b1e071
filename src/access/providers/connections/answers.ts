/** What the document of the API says of sign-in connections and identities. */
export const createDescription = `Lets users sign in through a company, or another OpenID Connect provider. Register the returned \`redirect_uri\` with the provider. The sign-in page then shows a button; \`/login?connection={connection_id}\` goes straight there.

A user is identified by the connection and the provider's \`sub\`, never by an email address. With \`trusted_domains\` verified addresses are linked to existing users, with \`provisioning_domains\` users are created.

A caller who controls a connection can become any user who links it, so this needs the permission {access} and every permission of every role.`

export const updateDescription = `Changes a connection. Another \`issuer\`, \`client_id\` or \`preset\` removes its identities and ends its sessions, because its subjects may be other people; a domain removed from \`trusted_domains\` removes the identities that it linked. \`active: false\` ends its sessions.

Needs the permission {access} and every permission of every role.`

export const deleteDescription =
  'Deletes a connection with its identities, and ends the sessions that began through it. Passwords that it refuses work again. Needs the permission {access} and every permission of every role.'

export const linkDescription = `Links an account of an identity provider to a user, who can sign in with it from then on. For users whom an address does not link: they use the account here already, the domain is not trusted, or the provider gave the address of another user to them. You vouch that the account is the user's; the user is notified.

Needs the permissions {access} and \`connections:write\`, and every permission that the user has.`

export const testDescription =
  'Shows what a sign-in with these claims would do, claim by claim. Changes nothing. For a directory (LDAP), `username` reads the entry of a user instead, and an empty body checks whether the directory can be searched; both need the permission `connections:write` as well. Needs the permission {access}, and `users:read`, because the response shows users.'

export const failuresDescription =
  'The latest 100 sign-ins that failed and test sign-ins, for up to 14 days: why, and what arrived, as far as it was verified. Needs the permission {access}; without `users:read` as well, `claims` is empty.'
