/** Checks the configuration: its faults, and what is valid but rarely intended. */
import { type Config, ConfigError, loadConfig } from '../../core/config.ts'
import { isPlausibleApiKey } from '../../lib/api-key.ts'
import { type Finding, reportOf } from './finding.ts'

const { ok, warning, failed } = reportOf('configuration')

type Environment = Record<string, string | undefined>

/** The configuration is undefined if it has a fault. */
export function checkConfiguration(env: Environment): { config: Config | undefined; findings: Finding[] } {
  try {
    const config = loadConfig(env)
    const findings = doubtsAbout(config)
    return { config, findings: [ok('settings', 'all settings are valid'), ...findings] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'Correct it, or the service does not start. docs/configuration.md lists the settings.'
    return { config: undefined, findings: error.faults.map((fault) => failed('settings', fault, advice)) }
  }
}

function doubtsAbout(config: Config): Finding[] {
  const { host, publicUrl, trustedProxies = [], databaseUrl, adminKey, apiKeyInQuery, keyEncryptionSecret } = config
  const findings: Finding[] = []
  const isLocal = /^(127\.|::1$|localhost$)/.test(host)
  const isPublicLocal = publicUrl === undefined || /^https?:\/\/(localhost|127\.|\[::1\])/.test(publicUrl)
  if (adminKey?.startsWith('rb_') && !isPlausibleApiKey(adminKey)) {
    const advice =
      'Set the complete key, or one that does not begin with rb_. The service does not start with this one.'
    findings.push(failed('admin key', 'ROLLBOOK_ADMIN_KEY begins with rb_, but its checksum is wrong', advice))
  }
  if (publicUrl === undefined && (!isLocal || databaseUrl !== undefined)) {
    const advice = 'Set ROLLBOOK_PUBLIC_URL to the address that clients use, such as https://example.com/auth.'
    findings.push(warning('public URL', 'not set, so links, tokens and cookies do not use the public address', advice))
  } else if (publicUrl?.startsWith('http:') && !isPublicLocal) {
    const advice = 'Use https. Over http, passwords and cookies can be read in transit.'
    findings.push(warning('public URL', `${publicUrl} is not https`, advice))
  } else {
    findings.push(ok('public URL', publicUrl ?? 'not set, and not needed on a single machine'))
  }
  const all = trustedProxies.filter((network) => /\/0$/.test(network))
  if (all.length > 0) {
    const advice = 'List only the addresses of your proxies. Now any client can claim any address.'
    findings.push(failed('trusted proxies', `${all.join(', ')} trusts every address`, advice))
  } else if (publicUrl?.startsWith('https:') && trustedProxies.length === 0) {
    const advice = 'Set ROLLBOOK_TRUSTED_PROXIES to the address of the proxy in front, as the service sees it.'
    findings.push(warning('trusted proxies', 'none, so all clients seem to come from the proxy', advice))
  } else {
    findings.push(ok('trusted proxies', trustedProxies.join(', ') || 'none'))
  }
  if (keyEncryptionSecret !== undefined) {
    findings.push(ok('encryption secret', 'signing keys and webhook secrets are encrypted in the store'))
  } else if (!isLocal || !isPublicLocal || databaseUrl !== undefined) {
    const advice =
      'Set ROLLBOOK_KEY_ENCRYPTION_SECRET_FILE to a file with 32 random bytes (openssl rand -hex 32), and keep it apart from backups.'
    findings.push(warning('encryption secret', 'signing keys and webhook secrets are stored in plain text', advice))
  } else {
    findings.push(ok('encryption secret', 'not set, and not needed on a single machine'))
  }
  if (apiKeyInQuery) {
    const advice = 'Turn off ROLLBOOK_API_KEY_IN_QUERY as soon as no client needs it, because URLs end up in logs.'
    findings.push(warning('keys in addresses', '?API_KEY= is accepted', advice))
  }
  return findings
}
