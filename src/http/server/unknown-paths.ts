import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../core/errors.ts'
import { pathTable } from './path-table.ts'

/**
 * Returns 404 for an unknown path, and 405 with `Allow` for a known path with another method. OPTIONS gets that too:
 * `Allow` says all there is to say, and other origins are not welcome. `watch` sees each such response, and `show` may send a page
 * for an unknown path instead.
 */
export function answerUnknownPaths(
  app: FastifyInstance,
  watch: (reply: FastifyReply) => void,
  show: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | undefined,
): void {
  const paths = pathTable(app, (config) => !config?.isAboutOthers)

  function refuse({ url }: FastifyRequest): never {
    const methods = paths.methodsAt(url)
    if (methods === undefined) {
      throw new AppError('not_found', 'There is nothing at this path. The docs page lists all operations.')
    }
    const allow = methods.join(', ')
    throw new AppError('method_not_allowed', `This path does not support the method. Use ${allow}.`, {
      headers: { allow },
    })
  }

  // Not in a handler: a body would be read and validated first.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) {
      watch(reply)
      const page = paths.methodsAt(request.url) === undefined ? show(request, reply) : undefined
      if (page === undefined) refuse(request)
      page.catch(done)
      return
    }
    // The router tries the parameter beside a fixed path.
    if (paths.isFixed(request.url) && request.routeOptions.url?.includes(':')) refuse(request)
    done()
  })
}
