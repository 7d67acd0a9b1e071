/** The texts of the operations on organizations in the OpenAPI document. */

export const listDescription = `Lists organizations, by name. \`q\` finds words of the name, \`name\` and \`external_id\` find one organization. A \`Link\`
header with \`rel="next"\` links to the next page.`

export const createDescription = `Creates an organization to which nothing belongs yet. Needs the permission {access}.`

export const getDescription = 'Returns one organization. Its counts and domains do not change the `ETag`.'

export const updateDescription = `Changes the given members of an organization and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). Needs the permission {access}.`

export const deleteDescription = `Deletes an organization to which no user, group, key or connection belongs. Otherwise the response is 409
\`organization_not_empty\`, with the counts. Needs the permission {access}.`

/** The docs page makes the name unique, so that the example can be sent as it stands. */
export const createExample = { name: 'Acme' }
