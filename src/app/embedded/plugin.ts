/** A plugin for a Fastify of the program's own, of this or another version. */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../core/config.ts'
import type { Serve } from './handler.ts'

/** @throws Error if it is registered with a prefix that is not the base path */
export function pluginOf({ basePath }: Pick<Config, 'basePath'>, serve: Serve) {
  return async (app: FastifyInstance): Promise<void> => {
    if (app.prefix !== '' && app.prefix !== basePath) {
      throw new Error(
        `Rollbook is registered under ${app.prefix}, but ROLLBOOK_BASE_PATH is ${basePath || '/'}. Make them equal.`,
      )
    }
    const base = app.prefix === '' ? basePath : ''
    // Before the program's Fastify reads the body.
    app.addHook('onRequest', async (request, reply) => {
      reply.hijack()
      serve(request.raw, reply.raw)
    })
    for (const url of new Set([base, `${base}/*`])) app.all(url, { exposeHeadRoute: false }, unreachable)
  }
}

function unreachable(): never {
  throw new Error('The hook before this has taken the request.')
}
