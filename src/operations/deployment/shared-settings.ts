/** Which settings all nodes of a store must have alike, and in which of them two nodes differ. */
import { createHash } from 'node:crypto'
import { type Config, settings } from '../../core/config.ts'

/** Not here: what belongs to a machine, such as addresses and sizes, and passwords that a digest in the store would help to guess. */
const shared = [
  'publicUrl',
  'adminKey',
  'apiKeyInQuery',
  'roles',
  'sessionSeconds',
  'sessionIdleSeconds',
  'returnOrigins',
  'secondFactor',
  'secondFactorFrom',
  'passkeyRpId',
  'passkeyOrigins',
  'trustBrowserDays',
  'accessRequests',
  'emailCode',
  'cliLogin',
  'tokenAudience',
  'tokenSeconds',
  'tokenAlgorithm',
  'signingKeyDays',
  'keyEncryptionSecret',
  'trustedIssuers',
  'productName',
  'environmentName',
  'requireIfMatch',
  'keyRotationOverlapSeconds',
  'auditDays',
  'eventsDays',
  'deletionGraceDays',
  'mailFrom',
  'mailLocale',
  'mailTimeZone',
] as const satisfies (keyof Config)[]

/** By the name of the setting. Settings that are not set are missing. */
export type SettingDigests = Readonly<Record<string, string>>

/** 32 bits tell two values apart, and give away nothing of a secret of 32 characters. */
export function digestsOf(config: Config): SettingDigests {
  const configured = shared.filter((member) => config[member] !== undefined)
  return Object.fromEntries(
    configured.map((member) => {
      const { name } = settings[member]
      return [
        name,
        createHash('sha256')
          .update(`${name} ${JSON.stringify(config[member])}`)
          .digest('hex')
          .slice(0, 8),
      ]
    }),
  )
}

/** The names of the settings that differ. */
export function differences(one: SettingDigests, other: SettingDigests): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((name) => one[name] !== other[name]).sort()
}
