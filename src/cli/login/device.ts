/** Signs in with a code that the user types in a browser of any machine (RFC 8628). */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CliKey, CreateCliLogin, RollbookClient } from '../../sdk/client/index.ts'
import { tell } from '../terminal/output.ts'
import { refused, tooLate } from './loopback.ts'

/** RFC 8628 §3.5: also after a response that did not arrive. */
const slowDownSeconds = 5

/** @throws Failed if the user refuses, or does not decide in time */
export async function loginByDevice(
  client: RollbookClient,
  request: CreateCliLogin,
  signal: AbortSignal,
): Promise<CliKey> {
  const {
    device_code = '',
    user_code,
    verification_uri,
    expires_in,
    interval = 5,
  } = await client.cliLogins.create(request, { signal })
  // Not the clock of the machine, which may be set meanwhile.
  const endsAtMs = performance.now() + expires_in * 1000
  tell(`Open ${verification_uri} in a browser, sign in, and enter this code:`)
  tell(`\n    ${user_code}\n`)
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  for (let wait = interval; performance.now() + wait * 1000 < endsAtMs; ) {
    await sleep(wait * 1000, undefined, { signal }).catch((error) => {
      throw signal.reason ?? error
    })
    try {
      return await client.cliLogins.exchange({ grant_type, device_code }, { signal })
    } catch (error) {
      const { code, status = 0, name } = error as { code?: string; status?: number; name?: string }
      if (code === 'access_denied') throw refused()
      if (code === 'expired_token') throw tooLate()
      if (code === 'authorization_pending') continue
      if (code !== 'slow_down' && name !== 'ConnectionError' && status < 500) throw error
      wait += slowDownSeconds
    }
  }
  throw tooLate()
}
