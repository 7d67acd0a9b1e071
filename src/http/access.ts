/** May the caller use this route? Each route declares what it needs; one that declares nothing stops the start. */
import type { FastifyInstance } from 'fastify'
import { type Actor, holds } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Access } from '../roles/permissions.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
}

export function requireDeclaredAccess(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`The route ${method} ${url} does not declare its access.`)
  })
}

export function refuseWithout(actor: Actor, access: Exclude<Access, 'public'>): void {
  if (holds(actor.permissions, access)) return
  throw new AppError('permission_denied', `This needs the permission ${access}.`)
}
