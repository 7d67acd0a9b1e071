/** The documents in which a SCIM service describes itself (RFC 7644 §4). */
import type { FastifyReply } from 'fastify'
import { AppError } from '../../core/errors.ts'
import type { HttpLayer } from '../../http/endpoint/http-layer.ts'
import { scimLimits } from '../lists/limits.ts'
import { listResponse } from '../paging/list-response.ts'
import type { JsonObject } from '../protocol/json.ts'
import { groupDefinition, userDefinition } from '../schemas/definition.ts'
import { resourceTypeDocuments, schemaDocuments, serviceProviderConfigDocument } from '../schemas/documents.ts'
import { scimPath } from './errors.ts'
import { idOfPath, refuseFilter } from './request.ts'
import { type Handler, send } from './send.ts'

export type Discovery = Readonly<
  Record<'serviceProviderConfig' | 'resourceTypes' | 'resourceType' | 'schemas' | 'schema', Handler>
>

const definitions = [userDefinition, groupDefinition]

export function createDiscovery(links: HttpLayer['links']): Discovery {
  const base = () => `${links.issuer()}${scimPath}`
  return {
    async serviceProviderConfig(request, reply) {
      refuseFilter(request)
      const limits = { ...scimLimits, documentationUri: `${links.issuer()}/docs#scim` }
      return send(reply, 200, JSON.stringify(serviceProviderConfigDocument(limits, base())))
    },
    resourceTypes: (_request, reply) => sendDocuments(reply, resourceTypeDocuments(definitions, base())),
    resourceType: async (_request, reply) => sendDocument(reply, resourceTypeDocuments(definitions, base())),
    schemas: (_request, reply) => sendDocuments(reply, schemaDocuments(definitions, base())),
    schema: async (_request, reply) => sendDocument(reply, schemaDocuments(definitions, base())),
  }
}

async function sendDocuments(reply: FastifyReply, documents: readonly JsonObject[]): Promise<FastifyReply> {
  refuseFilter(reply.request)
  const place = { totalResults: documents.length, startIndex: 1 }
  return send(reply, 200, JSON.stringify(listResponse(documents, place)))
}

function sendDocument(reply: FastifyReply, documents: readonly JsonObject[]): FastifyReply {
  refuseFilter(reply.request)
  const wanted = idOfPath(reply.request).toLowerCase()
  const found = documents.find(({ id, name }) => String(id ?? name).toLowerCase() === wanted)
  if (found === undefined) throw new AppError('not_found', 'There is no such document.')
  return send(reply, 200, JSON.stringify(found))
}
