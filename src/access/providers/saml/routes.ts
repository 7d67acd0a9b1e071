/** The metadata of this service for a connection. Its address is the entity id. */

import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import { scopeOf } from '../../../core/scope.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { operation } from '../../../http/endpoint/operation.ts'
import { pathId } from '../../../http/request/path-id.ts'
import { addressOf, getRow, type SamlSettings, settingsOf } from '../connections/service.ts'
import { spMetadata } from './sp-metadata.ts'

type Needs = Pick<HttpLayer, 'contextOf' | 'links'>

const mediaType = 'application/samlmetadata+xml'
const description = `Returns the SAML 2.0 metadata of this service for a connection of the kind \`saml\`, for the identity provider. Its address is the entity id of this service, \`sp_entity_id\`. Public: it holds nothing secret.`

export function routes(app: FastifyInstance, { contextOf, links }: Needs): void {
  app.route({
    ...operation({
      name: 'get_saml_metadata',
      method: 'GET',
      path: '/connections/{connection_id}/metadata',
      access: 'public',
      scope: 'global',
      description,
      responses: {
        200: { description: 'The metadata.', content: { [mediaType]: { schema: { type: 'string' } } } },
      },
      problems: ['connection_not_found', 'malformed_request'],
    }),
    async handler(request, reply) {
      const connectionId = pathId(request, 'connection_id')
      const row = await getRow(contextOf(request).db, scopeOf(request.actor), connectionId)
      if (row.kind !== 'saml') throw new AppError('connection_not_found', 'This connection does not use SAML.')
      const { sp_certificate, sign_requests, offer_encryption_key } = settingsOf(row) as unknown as SamlSettings
      const address = addressOf(links, connectionId)
      const metadata = spMetadata({
        entityId: `${address}/metadata`,
        acsUrl: `${address}/callback`,
        certificate: sp_certificate,
        signsRequests: sign_requests,
        offersEncryption: offer_encryption_key,
      })
      return reply.type(mediaType).send(metadata)
    },
  })
}
