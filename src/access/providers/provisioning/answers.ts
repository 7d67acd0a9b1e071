/** OpenAPI texts of provisioning. */
export const createDescription = `Connects an identity provider, and creates the API key for it. Give the identity provider \`scim_url\` and \`key\`.

Users whom it creates, or changes for the first time, are managed by it (\`managed_by\`): their username, email address, external id, names, \`active\` and the attributes that SCIM's enterprise extension fills are refused to others (409 \`managed_elsewhere\`) unless they pass \`override=true\`. Further keys: \`POST /keys\` with \`connection_id\`; revoke the old one afterwards.

Needs the permission {access}, and \`scim:write\`, because the key has it.`

export const deleteDescription =
  'Ends the keys of the connection at once, and releases its users: they stay as they are, and administrators may change them again. Needs the permission {access}, and every permission of its keys.'

export const rejectedDescription =
  'The latest 200 requests of the identity provider that were rejected, for up to 14 days: what was sent, why it was rejected, and what to change. Requests that read a resource that is not there are left out.'
