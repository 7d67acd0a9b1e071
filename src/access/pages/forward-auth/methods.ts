import type { FastifyInstance } from 'fastify'
import { METHODS } from '../../../lib/node-http.ts'

/** Every method that a product may use, including WebDAV's; CONNECT is not for web servers. */
export function supportAllMethods(app: FastifyInstance): string[] {
  const known = new Set(app.supportedMethods)
  const methods = METHODS.filter((method) => method !== 'CONNECT')
  for (const method of methods) if (!known.has(method as 'GET')) app.addHttpMethod(method, { hasBody: true })
  return methods
}
