import type { FastifyRequest } from 'fastify'
import { type PageNeeds, pageTools } from './tools.ts'
import { actingBar, actingStyles } from './views/acting-bar.ts'

/** The bar of an administrator who acts as a user, for pages with a frame of their own; empty for everyone else. */
export function actingParts(needs: PageNeeds): (request: FastifyRequest) => Promise<{ styles: string; bar: string }> {
  const { frameOf } = pageTools(needs, 'login/assets/any')
  return async (request) => {
    const frame = await frameOf(request)
    return { styles: actingStyles(frame).text, bar: actingBar(frame).text }
  }
}
