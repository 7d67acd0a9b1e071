/** The texts of the operations on organizations in the OpenAPI document. */

export const listDescription = `Lists organizations, by name. \`q\` finds words of the name, \`name\` and \`external_id\` find one organization. A \`Link\`
header with \`rel="next"\` links to the next page. Needs the permission {access}; with any permission that is limited to your organization, the list is
your organization alone.`

export const createDescription = `Creates an organization to which nothing belongs yet. Needs the permission {access}.`

export const getDescription = `Returns one organization. Its counts do not change the \`ETag\`. Needs the permission {access}, or for your own organization any permission
that is limited to it.`

export const updateDescription = `Changes the given members of an organization and leaves the others (JSON Merge Patch, RFC 7396, also sent as
\`application/json\`). Needs the permission {access}; with \`users:write@organization\` you can change the \`name\` of your own organization.`

/** The docs page makes the name unique, so that the example can be sent as it stands. */
export const createExample = { name: 'Acme' }

export const addDomainDescription = `Adds a domain to an organization. The response has the TXT record that its owner publishes: \`record_name\` and
\`record_value\`. Then \`POST /organizations/{organization_id}/domains/{domain}/verify\` looks for it. A domain that the organization has already is
returned as it is. With \`verified: true\` you vouch for the domain, and no record is needed; such a session must be recent. Until a domain is
verified it gives nothing, and other organizations may add it as well. Needs the permission {access}, or \`connections:write@organization\` for your own
organization, without \`verified\`.`

export const verifyDomainDescription = `Asks the name servers of \`ROLLBOOK_DNS_SERVERS\`, by default those of the system, for the TXT record
\`_rollbook.<domain>\`, and verifies the domain if one of its values is \`record_value\`. Otherwise the response is 409 \`domain_not_proved\` or 503
\`name_server_unavailable\`; \`detail\` says what was found, and \`reason\` is \`no_record\`, \`other_value\`, \`server_silent\`, \`server_failed\`,
\`server_refused\`, \`server_unreachable\` or \`answer_unusable\`. A verified domain is returned as it is, and nobody is asked. Ten questions a
minute for an organization. Needs the permission {access}, or \`connections:write@organization\` for your own organization.`

export const removeDomainDescription = `Removes a domain from an organization, verified or not. If it is added again, its record needs another value. Needs the
permission {access}, or \`connections:write@organization\` for your own organization.`

export const listSetupLinksDescription = `Lists the setup links of an organization that work, and those that ended in the last 30 days. The links
themselves are not stored. Needs \`connections:read\` or \`provisioning:read\`, also as the form that is limited to the own organization
(\`connections:read@organization\`).`

export const createSetupLinkDescription = `Creates a link for the IT administrator of a customer, who needs no account. Its pages do what \`features\` says
inside this one organization, and nothing else. The link works until \`expires_at\`, as often as needed, and is returned only now, as \`url\`. With
\`email\` it is sent as well. Its holder decides who signs in as the users of the organization, so hand it only to the customer. What is done with
it is in the audit by the actor \`setup_link\`. Needs \`connections:write\` for \`domains\` and \`connection\`, and \`provisioning:write\` for
\`provisioning\`, also as the forms that are limited to the own organization.`

export const revokeSetupLinkDescription = `Revokes a setup link: it stops working at once, on every node. What was set up with it stays. Needs
\`connections:write\` or \`provisioning:write\`, also as the forms that are limited to the own organization.`
