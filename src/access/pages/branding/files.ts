/** Serves the logos and the colours of the branding, each under an address that changes with its content. */
import type { FastifyInstance } from 'fastify'
import type { Brand, BrandFile, BrandSource } from '../../../core/brand.ts'
import { AppError } from '../../../core/errors.ts'

/** A logo that is opened by itself is a picture and nothing else. */
const contentSecurityPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

export function brandFiles(app: FastifyInstance, branding: BrandSource): void {
  app.get<{ Params: { hash: string; name: string } }>(
    '/branding/:hash/:name',
    { config: { access: 'public', scope: 'global' } },
    async (request, reply) => {
      const { hash, name } = request.params
      const file = filesOf(await branding.current()).find((one) => one.name === name)
      if (file === undefined) throw new AppError('not_found', 'The branding has no such file.')
      // The page of another moment asks for what was there then: it gets what is there now, but must not keep it.
      const isCurrent = file.hash === hash
      return reply
        .header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
        .header('content-security-policy', contentSecurityPolicy)
        .header('x-content-type-options', 'nosniff')
        .type(file.type)
        .send(file.content)
    },
  )
}

function filesOf({ logo, logoDark, mark, sheet }: Brand): BrandFile[] {
  return [logo, logoDark, mark, sheet].filter((file) => file !== undefined)
}
