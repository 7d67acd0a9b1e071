import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../../core/errors.ts'
import type { HttpLayer } from '../../../http/endpoint/http-layer.ts'
import { refuseWhileDraining } from '../../../http/server/lifecycle.ts'
import { trimEnds } from '../../../lib/typed-name.ts'
import { browserHash, emailCodeSeconds } from '../../credentials/challenges/service.ts'
import { deviceName } from '../../credentials/sessions/service.ts'
import { newToken, requestAt, type SignInParts } from '../sign-in/service.ts'
import { readDevices } from '../throttling/service.ts'
import type { RequestedEmailCode } from './schema.ts'

export type EmailCodeNeeds = Pick<SignInParts, 'storage' | 'secrets'> &
  Pick<HttpLayer, 'config' | 'cookies' | 'lifecycle' | 'originOf'>

/**
 * Asks for a code, for the page and the API. The code works in this browser alone: a cookie binds it.
 *
 * @throws AppError `not_enabled`, `too_many_attempts`
 */
export async function requestEmailCode(
  { config, cookies, lifecycle, originOf, secrets, storage }: EmailCodeNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  username: string,
): Promise<RequestedEmailCode> {
  refuseWhileDraining(lifecycle)
  if (config.emailCode === 'off') {
    throw new AppError('not_enabled', 'Sign in another way: no codes are sent by email here (ROLLBOOK_EMAIL_CODE).')
  }
  const { now, id: requestId } = request
  const origin = originOf(request)
  const cookie = newToken()
  const { result } = await storage.change(
    'email_codes.request',
    {
      browser_hash: browserHash(cookie),
      codeRequest: {
        name: trimEnds(username.normalize('NFKC')),
        device: deviceName(origin.user_agent),
        address: origin.address,
        knownUsers: readDevices(secrets.device, cookies.device.read(request), now).map(({ user_id }) => user_id),
      },
    },
    { ...requestAt({ now, requestId }), origin },
  )
  // A new one at each request: the browser has one code that works.
  reply.header('set-cookie', cookies.challenge.set(cookie, emailCodeSeconds))
  return result
}
