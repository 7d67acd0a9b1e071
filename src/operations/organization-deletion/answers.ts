/** The texts of the deletion of organizations in the OpenAPI document. */

export const description = `Deletes an organization to which no user, group, key or connection belongs. Otherwise the response is 409
\`organization_not_empty\`, with the counts. Needs the permission {access}.

\`users=delete\` deletes everything that belongs to it, too: its users as \`DELETE /users/{user_id}\` does, so that they can be restored without an
organization; its groups, API keys, connections, provisioning connections and domains for good. Users from elsewhere only leave its groups. Also
needs \`users:write\`, and \`groups:write\`, \`keys:write\`, \`connections:write\` and \`provisioning:write\` for what belongs to it. Everything that
could be refused is tried first, so that a refusal changes nothing. Then the organization is disabled, its users are deleted in
batches, and the rest with the last of them. What takes longer than 15 seconds gets a 202 with the number of \`users_left\`: repeat the request without \`If-Match\` until
it gets 200. Repeat it as well after an interruption: the organization is disabled then, and what is deleted stays so. A caller who belongs to the
organization cannot delete it in this way (\`own_account\`).`

export const responses = {
  200: 'The organization was deleted. In a dry run `deleted` is false, and the counts say what would be deleted.',
  202: 'With `users=delete`: some of its users are deleted. Repeat the request.',
}
