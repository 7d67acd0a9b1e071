/** The discovery resources: `/Schemas`, `/ResourceTypes`, `/ServiceProviderConfig` (RFC 7644 §4). None has a null. */

import type { Json, JsonObject } from '../protocol/json.ts'
import { resourceTypeUrn, schemaUrn, serviceProviderConfigUrn } from '../protocol/urns.ts'
import type { Attribute, Schema } from './attribute.ts'
import type { Definition } from './definition.ts'
import { resourceTypeSchema, schemaSchema, serviceProviderConfigSchema } from './discovery.ts'

/** @param base the URL of the SCIM endpoint, without a trailing slash */
export function schemaDocuments(definitions: readonly Definition[], base: string): JsonObject[] {
  const described = definitions.flatMap(({ schema, extensions }) => [
    schema,
    ...[...extensions.values()].map((extension) => extension.schema),
  ])
  return [...described, serviceProviderConfigSchema, resourceTypeSchema, schemaSchema].map((schema) =>
    schemaDocument(schema, base),
  )
}

function schemaDocument({ id, name, description, attributes }: Schema, base: string): JsonObject {
  return {
    schemas: [schemaUrn],
    id,
    name,
    description,
    attributes: attributes.map(attributeDocument),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  }
}

function attributeDocument(attribute: Attribute): JsonObject {
  const { name, type, multiValued, description, required, caseExact, mutability, returned, uniqueness } = attribute
  return {
    name,
    type,
    multiValued,
    description,
    required,
    ...(attribute.canonicalValues && { canonicalValues: attribute.canonicalValues }),
    ...(type !== 'complex' && { caseExact }),
    mutability,
    returned,
    uniqueness,
    ...(attribute.referenceTypes && { referenceTypes: attribute.referenceTypes }),
    ...(attribute.subAttributes && { subAttributes: attribute.subAttributes.map(attributeDocument) }),
  }
}

export function resourceTypeDocuments(definitions: readonly Definition[], base: string): JsonObject[] {
  return definitions.map(({ name, description, endpoint, schema, extensions }) => ({
    schemas: [resourceTypeUrn],
    id: name,
    name,
    description,
    endpoint,
    schema: schema.id,
    schemaExtensions: [...extensions.values()].map((extension) => ({ schema: extension.schema.id, required: false })),
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))
}

export interface Limits {
  readonly documentationUri: string
  readonly maxOperations: number
  readonly maxPayloadSize: number
  readonly defaultPageSize: number
  readonly maxPageSize: number
  readonly cursorTimeoutSeconds: number
}

export function serviceProviderConfigDocument(limits: Limits, base: string): JsonObject {
  const supported: Json = { supported: true }
  const { maxOperations, maxPayloadSize, defaultPageSize, maxPageSize } = limits
  return {
    schemas: [serviceProviderConfigUrn],
    documentationUri: limits.documentationUri,
    patch: supported,
    bulk: { supported: true, maxOperations, maxPayloadSize },
    filter: { supported: true, maxResults: maxPageSize },
    changePassword: supported,
    sort: supported,
    etag: supported,
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize,
      maxPageSize,
      cursorTimeout: limits.cursorTimeoutSeconds,
    },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'API key',
        description: 'An API key of the provisioning connection, as a bearer token in the Authorization header.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}
