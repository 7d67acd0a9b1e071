/** The URNs of the standard: messages (RFC 7644 §8.2) and schemas (RFC 7643 §8). */

const messages = 'urn:ietf:params:scim:api:messages:2.0'
const core = 'urn:ietf:params:scim:schemas:core:2.0'

export const listResponseUrn = `${messages}:ListResponse`
export const searchRequestUrn = `${messages}:SearchRequest`
export const patchOpUrn = `${messages}:PatchOp`
export const bulkRequestUrn = `${messages}:BulkRequest`
export const bulkResponseUrn = `${messages}:BulkResponse`
export const errorUrn = `${messages}:Error`

export const userUrn = `${core}:User`
export const groupUrn = `${core}:Group`
export const schemaUrn = `${core}:Schema`
export const resourceTypeUrn = `${core}:ResourceType`
export const serviceProviderConfigUrn = `${core}:ServiceProviderConfig`
/** Not of the standard: what Rollbook has besides. */
export const rollbookUserUrn = 'urn:ietf:params:scim:schemas:extension:rollbook:2.0:User'
export const enterpriseUserUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
