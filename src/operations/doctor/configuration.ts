/** Checks the configuration: its faults, and what is valid but rarely intended. */
import { createServer } from 'node:net'
import { type Config, ConfigError, loadConfig, oddities } from '../../core/config.ts'
import { listenFailure } from '../../http/server/listen-failure.ts'
import { loadTemplates } from '../../record/mails/service.ts'
import { type Finding, reportOf } from './finding.ts'

const { ok, warning, failed } = reportOf('configuration')

type Environment = Record<string, string | undefined>

/** The configuration is undefined if it has a fault. */
export async function checkConfiguration(
  env: Environment,
): Promise<{ config: Config | undefined; findings: Finding[] }> {
  const advice = 'Correct it, or the service does not start. docs/configuration.md lists the settings.'
  const faultsAsFindings = (error: unknown) => {
    if (!(error instanceof ConfigError)) throw error
    return error.faults.map((fault) => failed('settings', fault, advice))
  }
  let config: Config
  try {
    config = loadConfig(env)
  } catch (error) {
    return { config: undefined, findings: faultsAsFindings(error) }
  }
  const faults: Finding[] = []
  try {
    loadTemplates(config.mailTemplates, config.mailLocale)
  } catch (error) {
    faults.push(...faultsAsFindings(error))
  }
  for (const [host, name, port] of [
    [config.host, 'ROLLBOOK_HOST', 'ROLLBOOK_PORT'],
    ...(config.metricsPort === undefined
      ? []
      : [[config.metricsHost, 'ROLLBOOK_METRICS_HOST', 'ROLLBOOK_METRICS_PORT']]),
  ] as [string, string, string][]) {
    await listenBriefly(host).catch((error: unknown) =>
      faults.push(...faultsAsFindings(listenFailure(error, name, port))),
    )
  }
  const odd = oddities(config).map((found) =>
    warning('settings', found, 'docs/configuration.md describes these settings.'),
  )
  const valid = faults.length + odd.length === 0 ? [ok('settings', 'all settings are valid')] : []
  return { config, findings: [...faults, ...odd, ...valid, ...doubtsAbout(config)] }
}

/** On a free port: the service may be using its own. */
async function listenBriefly(host: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  await new Promise((resolve) => server.close(resolve))
}

function doubtsAbout(config: Config): Finding[] {
  const { host, publicUrl, trustedProxies = [], databaseUrl, apiKeyInQuery, keyEncryptionSecret } = config
  const findings: Finding[] = []
  const isLocal = /^(127\.|::1$|localhost$)/.test(host)
  const isPublicLocal = publicUrl === undefined || /^https?:\/\/(localhost|127\.|\[::1\])/.test(publicUrl)
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
  // Whether a secret fits is a question to the store.
  if (keyEncryptionSecret === undefined && (!isLocal || !isPublicLocal || databaseUrl !== undefined)) {
    const advice =
      'Set ROLLBOOK_KEY_ENCRYPTION_SECRET_FILE to a file with 32 random bytes, such as from ' +
      `node -p "crypto.randomBytes(32).toString('hex')", and keep it apart from backups (docs/signing-keys.md).`
    findings.push(warning('encryption secret', 'not set, so secrets are stored in plain text', advice))
  }
  if (apiKeyInQuery) {
    const advice = 'Turn off ROLLBOOK_API_KEY_IN_QUERY as soon as no client needs it, because URLs end up in logs.'
    findings.push(warning('keys in addresses', '?API_KEY= is accepted', advice))
  }
  return findings
}
