import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'

export type LinkNeeds = Pick<
  HttpLayer,
  'config' | 'contextOf' | 'storage' | 'makeChange' | 'links' | 'originOf' | 'lifecycle' | 'isCrossOrigin'
>

/** @throws AppError `mail_not_configured`, `too_many_attempts`, for the page and the API */
export async function requestReset(
  { config, lifecycle, makeChange }: LinkNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<{ dryRun: boolean }> {
  refuseWhileDraining(lifecycle)
  if (config.smtpUrl === undefined) {
    throw new AppError('mail_not_configured', 'Email is not set up here. Ask an administrator for a link.')
  }
  return makeChange(request, reply, 'password_resets.request', { input: () => ({ name }) })
}
