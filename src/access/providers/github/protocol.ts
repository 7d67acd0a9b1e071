/** GitHub's OAuth with PKCE, then its API: the account, and its primary address with whether GitHub has verified it. */
import { createHash } from 'node:crypto'
import {
  type GithubSettings,
  type OpenConnection,
  type Protocol,
  ProtocolFailure,
  type ProtocolOptions,
} from '../connections/service.ts'
import { type FetchOptions, guardedFetch } from '../provider-calls/service.ts'

export function githubProtocol({ idpAllowedNetworks, calls }: ProtocolOptions): Protocol {
  const { fetch, close } = guardedFetch(idpAllowedNetworks)

  async function requestJson(url: string, options: FetchOptions): Promise<unknown> {
    try {
      const headers = { accept: 'application/json', 'user-agent': 'Rollbook', ...options.headers }
      const response = await fetch(url, { ...options, headers })
      const isDown = response.status >= 500 || response.status === 429
      const reason = isDown ? 'provider_unreachable' : 'code_refused'
      if (!response.ok) throw new ProtocolFailure(reason, `GitHub responded with ${response.status}.`)
      return await response.json()
    } catch (cause) {
      if (cause instanceof ProtocolFailure) throw cause
      throw new ProtocolFailure('provider_unreachable', 'GitHub did not respond, or not with JSON.', { cause })
    }
  }

  return {
    async depart(connection, { state, verifier, returnUri, loginHint }) {
      const { github_url, client_id } = settingsOf(connection)
      const url = new URL('/login/oauth/authorize', github_url)
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      url.search = new URLSearchParams({
        client_id,
        redirect_uri: returnUri,
        scope: 'read:user user:email',
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(loginHint !== undefined && { login: loginHint }),
      }).toString()
      return { url }
    },

    async arrive(connection, { query }, { state, verifier, returnUri }) {
      const returned = new URLSearchParams(query)
      if (returned.getAll('state').length !== 1 || returned.get('state') !== state) {
        throw new ProtocolFailure('token_invalid', 'The response has another state.')
      }
      const code = returned.get('code')
      if (code === null) throw new ProtocolFailure('provider_refused', 'GitHub refused the sign-in.')
      const { github_url, client_id } = settingsOf(connection)
      const { client_secret = '' } = connection.secrets
      const body = new URLSearchParams({
        client_id,
        client_secret,
        code,
        redirect_uri: returnUri,
        code_verifier: verifier,
      })
      const tokenResponse = await calls.follow(
        { kind: 'github', connection, part: 'token', faultIn: refusedClientIn },
        () =>
          requestJson(new URL('/login/oauth/access_token', github_url).href, {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body,
          }),
      )
      const token = isRecord(tokenResponse) ? tokenResponse.access_token : undefined
      // GitHub answers 200 with an error, too.
      if (typeof token !== 'string' || !/^[\x21-\x7e]{1,1024}$/.test(token)) {
        throw new ProtocolFailure('code_refused', 'GitHub refused the code. Compare client_id and client_secret.')
      }
      const api = github_url === 'https://github.com' ? 'https://api.github.com' : `${github_url}/api/v3`
      const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' }
      const [user, emails] = await calls.follow({ kind: 'github', connection, part: 'account' }, () =>
        Promise.all([requestJson(`${api}/user`, { headers }), requestJson(`${api}/user/emails`, { headers })]),
      )
      if (!isRecord(user)) throw new ProtocolFailure('token_invalid', 'GitHub sent no account.')
      const primary = (Array.isArray(emails) ? emails : []).find((one) => isRecord(one) && one.primary === true)
      const { id, login, name } = user
      // The address of the profile is what the user wrote there, so only the list of addresses counts.
      return { claims: { id, login, name, email: primary?.email, email_verified: primary?.verified } }
    },

    close,
  }
}

/** The error with which GitHub refuses every sign-in, not one code. */
const clientRefused = 'incorrect_client_credentials'

function refusedClientIn(response: unknown): string | undefined {
  return isRecord(response) && response.error === clientRefused ? clientRefused : undefined
}

function settingsOf({ settings }: OpenConnection): GithubSettings {
  return settings as GithubSettings
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
