/** The texts of the operations on requests for access in the OpenAPI document. */

export const listDescription = `Lists requests for access, the newest first. People send them on the page \`/request-access\`, after they
have confirmed their address with a link. There is no user before an approval. With \`ROLLBOOK_ACCESS_REQUESTS\` \`off\` this is
404 \`not_enabled\`. Decided and expired requests are deleted after 30 days. Needs the permission {access}.`

export const getDescription = `Returns a request for access. Needs the permission {access}.`

export const decideDescription = `Approves or declines a request for access, once. An approval creates the user, as \`POST /users\` does and
under the same rules: \`role\`, \`groups\` and everything that a group gives must be yours. The user gets an invitation by email, or, if
a company signs in people with addresses of this domain, a message that says so, and no password. \`groups\` also needs
\`groups:write\`. Whoever is declined gets a message with your \`reason\`. Needs the permission {access}.`
