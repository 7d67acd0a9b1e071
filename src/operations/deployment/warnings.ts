/** Signs in a request, or in the configuration, of a probable mistake. Judges only what arrives. */
import { isServer } from '../../store/db/dialect.ts'
import type { Deployment } from './schema.ts'

type Seen = Pick<Deployment, 'public_url' | 'session_cookie' | 'request'> & {
  engine: Deployment['storage']['engine']
  /** ROLLBOOK_KEY_ENCRYPTION_SECRET is set. */
  encrypts_secrets: boolean
  isDamaged?: boolean
  /** The store is a trial of a backup. */
  isInTrial?: boolean
  /** Why housekeeping is paused, in the words of `explainWait`. */
  clockWait?: string | undefined
  /** In which settings this node differs from others, in the words of `explainDifferences`. */
  settingsDiffer?: string | undefined
  /** How many users a stopped run of the inactivity rule would disable. */
  stoppedUsers?: number | undefined
  /** Names in the second-factor policy that match no role or group. */
  unknownInPolicy?: readonly string[]
}

export function warningsOf({
  public_url,
  session_cookie,
  request,
  engine,
  encrypts_secrets,
  isDamaged = false,
  isInTrial = false,
  clockWait,
  settingsDiffer,
  unknownInPolicy = [],
  stoppedUsers,
}: Seen): Deployment['warnings'] {
  const warnings: Deployment['warnings'] = []
  const { forwarded_for, forwarded_proto, forwarded_host, from_trusted_proxy, host, origin, scheme } = request
  if (isDamaged) {
    const detail =
      'The storage is damaged, so this node is not ready and refuses changes. Keep a copy of the data, then restore a backup.'
    warnings.push({ code: 'storage_damaged', detail })
  }
  if (isInTrial) {
    const detail =
      'The store is a trial of a backup: no message and no webhook is sent, and nothing outside is called. To use it for real, run rollbook restored.'
    warnings.push({ code: 'trial_store', detail })
  }
  if (clockWait !== undefined) warnings.push({ code: 'clock_jumped', detail: clockWait })
  if (settingsDiffer !== undefined) warnings.push({ code: 'settings_differ', detail: settingsDiffer })
  const isForwarded = [forwarded_for, forwarded_proto, forwarded_host].some((value) => value !== null)
  const isHttps = scheme === 'https' || forwarded_proto?.toLowerCase() === 'https' || origin?.startsWith('https:')
  if (isHttps && !session_cookie.startsWith('__Host-')) {
    const detail =
      'The browser uses https, but the session cookie is also sent over plain http. Set ROLLBOOK_PUBLIC_URL to the https address.'
    warnings.push({ code: 'session_cookie_not_secure', detail })
  }
  if (isForwarded && !from_trusted_proxy) {
    const detail =
      'X-Forwarded headers came from an address that is not a trusted proxy and were ignored. If it is your proxy, add it to ROLLBOOK_TRUSTED_PROXIES.'
    warnings.push({ code: 'forwarded_headers_ignored', detail })
  }
  const name = (from_trusted_proxy ? forwarded_host : null) ?? host
  // A caller on the machine itself does not use the public address.
  const isLocal = !isForwarded && /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(name ?? '')
  if (public_url !== null && name !== null && !isLocal && name.toLowerCase() !== new URL(public_url).host) {
    const detail =
      'The request uses another host name than ROLLBOOK_PUBLIC_URL, which all links are built from. Correct one of them.'
    warnings.push({ code: 'public_url_differs', detail })
  }
  if (public_url === null && isServer({ engine })) {
    const detail =
      'Without ROLLBOOK_PUBLIC_URL, other nodes refuse the access tokens of this node. Set it to the address that clients use.'
    warnings.push({ code: 'public_url_missing', detail })
  }
  // No warning for a trial on one machine.
  if (!encrypts_secrets && (public_url !== null || isServer({ engine }))) {
    const detail =
      'Signing keys and webhook secrets are stored in plain text. Set ROLLBOOK_KEY_ENCRYPTION_SECRET, and keep it apart from backups.'
    warnings.push({ code: 'key_encryption_secret_missing', detail })
  }
  if (unknownInPolicy.length > 0) {
    const detail = `The second-factor policy (ROLLBOOK_SECOND_FACTOR or PATCH /policies) names roles or groups that do not exist, so it requires a second factor of no user through them: ${unknownInPolicy.join(', ')}.`
    warnings.push({ code: 'second_factor_policy_unknown', detail })
  }
  if (stoppedUsers !== undefined) {
    const detail = `The inactivity rule would disable ${stoppedUsers} users at once, more than 5 % of the active ones, so it has stopped. Look at rollbook inactivity preview, then run rollbook inactivity confirm, or change the rule.`
    warnings.push({ code: 'inactivity_stopped', detail })
  }
  return warnings
}
