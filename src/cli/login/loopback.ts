/** Receives the code from the browser on a port of this machine (RFC 8252 §7.3), with PKCE (RFC 7636). */
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CliKey, CreateCliLogin, RollbookClient } from '../../sdk/client/index.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed } from '../terminal/failure.ts'
import { tell } from '../terminal/output.ts'
import { openBrowser } from './browser.ts'

const callback = '/callback'

/** IPv6 is for machines without IPv4. */
const loopbackAddresses: readonly string[] = ['127.0.0.1', '::1']

type Wanted = { request: CreateCliLogin; url: string; addresses?: readonly string[] }

/** @throws Failed if the user refuses, or does not decide in time */
export async function loginByLoopback(
  client: Pick<RollbookClient, 'cliLogins'>,
  { request, url, addresses = loopbackAddresses }: Wanted,
  signal: AbortSignal,
): Promise<CliKey> {
  const code_verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(24).toString('base64url')
  const server = createServer()
  try {
    const redirect_uri = await listen(server, addresses)
    const code_challenge = hash('sha256', code_verifier, 'base64url')
    const { login_uri = '', expires_in } = await client.cliLogins.create(
      { ...request, redirect_uri, state, code_challenge, code_challenge_method: 'S256' },
      { signal },
    )
    const exchange = (code: string) =>
      client.cliLogins.exchange({ grant_type: 'authorization_code', code, redirect_uri, code_verifier }, { signal })
    const received = receive(server, { state, redirect_uri, exchange, doneAt: `${url}/cli-login/done` })
    const late = lateAfter(expires_in, signal)
    const isOpened = await openBrowser(login_uri, process.env, process.platform)
    tell(
      isOpened
        ? `Approve the sign-in in your browser. If it did not open, open this page:`
        : 'Open this page in a browser of this machine:',
    )
    tell(login_uri)
    try {
      return await Promise.race([received, late.promise])
    } finally {
      late.end()
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Listens on a free port of the first address that the machine has. */
async function listen(server: Server, [address, ...others]: readonly string[]): Promise<string> {
  try {
    server.listen(0, address)
    await once(server, 'listening')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (others.length === 0 || !['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code)) throw error
    return listen(server, others)
  }
  const { family, address: host, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}${callback}`
}

type Expected = {
  state: string
  redirect_uri: string
  exchange(code: string): Promise<CliKey>
  /** The page that says that the command line is signed in. */
  doneAt: string
}

/** Requests that are not the redirect of this sign-in change nothing: any page and any program may call the port. */
function receive(server: Server, { state, redirect_uri, exchange, doneAt }: Expected): Promise<CliKey> {
  const { host } = new URL(redirect_uri)
  let isReceived = false
  return new Promise((resolve, reject) => {
    server.on('request', async (request, response) => {
      const say = (status: number, text: string, headers: Record<string, string> = {}) =>
        response
          .writeHead(status, {
            'content-type': 'text/plain; charset=utf-8',
            'cache-control': 'no-store',
            'referrer-policy': 'no-referrer',
            connection: 'close',
            ...headers,
          })
          .end(text)
      const { pathname, searchParams } = new URL(request.url ?? '/', redirect_uri)
      // Another name for this address: a page of another site asks (DNS rebinding).
      if (request.method !== 'GET' || request.headers.host !== host || pathname !== callback) {
        say(404, 'Nothing is here.\n')
        return
      }
      if (searchParams.get('state') !== state || isReceived) {
        say(400, 'This is not the sign-in that rollbook login waits for.\n')
        return
      }
      const code = searchParams.get('code')
      isReceived = true
      if (code === null) {
        say(200, 'You refused. You can close this page.\n')
        response.once('close', () => reject(refused()))
        return
      }
      try {
        const key = await exchange(code)
        say(303, 'The command line is signed in. You can close this page.\n', { location: doneAt })
        response.once('close', () => resolve(key))
      } catch (error) {
        say(502, 'The sign-in failed. The command line says why.\n')
        response.once('close', () => reject(error))
      }
    })
  })
}

export function refused(): Failed {
  return new Failed('The sign-in was refused in the browser. Nothing was stored.', exitCodes.notAuthorized)
}

export function tooLate(): Failed {
  return new Failed('The sign-in was not approved in time. Run rollbook login again.', exitCodes.failed)
}

/** Rejects after `seconds`, or when the operator interrupts. Timers do not follow the clock of the machine. */
function lateAfter(seconds: number, signal: AbortSignal): { promise: Promise<never>; end(): void } {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(tooLate()), seconds * 1000)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return {
    promise,
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
  }
}
