/** The cookies of a browser in which an administrator acts as a user: their own session waits in a second cookie. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../../../core/actor.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'

type Needs = Pick<HttpLayer, 'config' | 'cookies' | 'lookUp'>

/** Gives the browser the new session, and keeps the administrator's own beside it. */
export function keepOwnSession(
  { config, cookies }: Pick<Needs, 'config' | 'cookies'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { token, endsAtMs }: { token: string; endsAtMs: number },
): void {
  reply.header('set-cookie', [
    cookies.set(token, Math.ceil((endsAtMs - request.now) / 1000)),
    cookies.own.set(cookies.read(request) ?? '', config.sessionSeconds),
  ])
}

/** Gives the browser its own session back, after the other one has expired. Returns whether it has one. */
export async function returnToOwnSession(needs: Needs, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const { config, cookies } = needs
  const cookie = cookies.own.read(request)
  const back = cookie === undefined ? undefined : await needs.lookUp(cookie, request.now)
  if (cookie === undefined || back?.kind !== 'session') return false
  reply.header('set-cookie', [cookies.set(cookie, config.sessionSeconds), cookies.own.clear()])
  return true
}

/**
 * Returns the cookies after the end of this session: those of the administrator's own one if this browser kept it,
 * otherwise of a browser that is signed out.
 */
export async function cookiesAfter(
  needs: Needs,
  request: FastifyRequest,
  signedIn: SignedIn | undefined,
): Promise<string[]> {
  const { config, cookies } = needs
  const cookie = cookies.own.read(request)
  const back = cookie === undefined ? undefined : await needs.lookUp(cookie, request.now)
  const from = signedIn?.impersonation?.session_id
  const isBack = cookie !== undefined && from !== undefined && back?.actor.signedIn?.session_id === from
  return [
    isBack ? cookies.set(cookie, config.sessionSeconds) : cookies.clear(),
    ...(cookie === undefined ? [] : [cookies.own.clear()]),
  ]
}
