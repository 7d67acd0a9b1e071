/** GitHub, which has OAuth and an API of its own instead of OpenID Connect. The protocol is in access/providers/github. */
import { memberFault } from '../../../../core/errors.ts'
import type { Kind } from './kind.ts'

export const githubMembers = {
  github_url: {
    type: 'string',
    maxLength: 512,
    description: 'GitHub: the address of GitHub Enterprise Server. Default: https://github.com.',
    examples: ['https://github.example.com'],
  },
} as const

export type GithubSettings = { github_url: string; client_id: string }

export const github: Kind = {
  name: 'github',
  title: 'GitHub',
  presets: ['generic'],
  way: 'redirect',
  returnsByPost: false,
  prepares: false,
  members: ['client_id', 'github_url'],
  secrets: ['client_secret'],
  initial: { github_url: 'https://github.com' },
  identifying: ['github_url', 'client_id', 'preset'],
  destinations: ['github_url'],
  addresses: (base) => ({ redirect_uri: `${base}/callback` }),

  normalize(settings) {
    const { github_url } = settings as GithubSettings
    const url = URL.canParse(github_url) ? new URL(github_url) : undefined
    const isLocal = url?.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
    if (url === undefined || (url.protocol !== 'https:' && !isLocal)) {
      const detail = 'This is not a URL that begins with https://.'
      return { settings, faults: [memberFault('github_url', 'url_malformed', detail)] }
    }
    return { settings: { ...settings, github_url: url.origin }, faults: [] }
  },

  arrivalOf(_settings, { id, email, email_verified, name }) {
    const [, first_name = '', last_name = ''] = /^(\S*)\s*(.*)$/.exec(typeof name === 'string' ? name : '') ?? []
    return {
      // The login can change, and later belong to another person.
      subject: typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : '',
      email,
      email_verified: email_verified === true,
      first_name,
      last_name,
      auth_time_ms: undefined,
      amr: [],
      acr: undefined,
      sid: undefined,
    }
  },

  claimNames: { email: 'email', amr: '', acr: '', auth_time: '' },

  explain(_settings, _claims, { subject, email_verified }) {
    return [
      { claim: 'id', notes: [{ code: subject === '' ? 'subject_missing' : 'subject' }] },
      { claim: 'email_verified', notes: [{ code: email_verified ? 'address_verified' : 'address_unverified' }] },
      { claim: 'login', notes: [{ code: 'login_ignored' }] },
      { claim: 'name', notes: [{ code: 'names' }] },
    ]
  },
}
