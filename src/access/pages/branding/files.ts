/** Serves the logos and the colours of the branding, each under an address that changes with its content. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Brand, BrandFile, BrandSource } from '../../../core/brand.ts'
import { AppError } from '../../../core/errors.ts'
import { isUuid } from '../../../lib/uuidv7.ts'

/** A logo that is opened by itself is a picture and nothing else. */
const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

export function brandFiles(app: FastifyInstance, branding: BrandSource): void {
  for (const path of ['/branding/:hash/:name', '/branding/:organization_id/:hash/:name']) {
    app.get<{ Params: Asked }>(path, { config: { access: 'public', scope: 'global' } }, (request, reply) =>
      sendFile(branding, request.params, reply),
    )
  }
}

type Asked = { organization_id?: string; hash: string; name: string }

async function sendFile(
  branding: BrandSource,
  { organization_id, hash, name }: Asked,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (organization_id !== undefined && !isUuid(organization_id)) throw noSuchFile()
  const file = filesOf(await branding.current(organization_id)).find((one) => one.name === name)
  if (file === undefined) throw noSuchFile()
  // The page of another moment asks for what was there then: it gets what is there now, but must not keep it.
  const isCurrent = file.hash === hash
  return reply
    .header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('content-security-policy', contentSecurityPolicy)
    .header('x-content-type-options', 'nosniff')
    .type(file.type)
    .send(file.content)
}

function noSuchFile(): AppError {
  return new AppError('not_found', 'The branding has no such file.')
}

function filesOf({ logo, logoDark, mark, sheet }: Brand): BrandFile[] {
  return [logo, logoDark, mark, sheet].filter((file) => file !== undefined)
}
