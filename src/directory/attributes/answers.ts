/** The texts of the operations on attributes in the OpenAPI document. */
export const listDescription = `Lists the definitions of the custom attributes of users, by name. There are at most 64. Needs the permission
{access}.`

export const createDescription = `Defines a custom attribute. From then on users can have a value in \`attributes\`. It can be \`required\` only if there are no users yet. Otherwise define it without \`required\`, give all users a value, then set it. Needs the permission {access}, with \`required\` also \`users:read\`.`

export const getDescription = 'Returns one definition.'

export const updateDescription = `Changes the given members of a definition and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). If existing users would violate it, the response is 409 \`attribute_violated\` and says how many. While Rollbook checks the users, or writes the index for \`searchable\` or \`unique\`, changes of users wait. Needs the permission
{access}, and \`users:read\` for a change that is judged against values: \`type\`, \`options\`, \`required\`, \`unique\`, \`pattern\` and limits.`

export const deleteDescription = `Deletes a definition and the values that users have. This cannot be undone. The users' \`updated_at\` and \`ETag\`
change; there is one event \`attribute.deleted\` and none for each user. To see how many users have a value, use \`dry_run\`. Needs
the permissions {access} and \`users:read\`.`

/** The docs page makes the name unique, so that the example can be sent as it stands. */
export const createExample = { name: 'department', label: 'Department', type: 'string', searchable: true }
