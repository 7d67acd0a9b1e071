import type { AuditRecord } from '../../../record/audit/schema.ts'
import type { Factors } from '../../credentials/factors/schema.ts'
import type { ApiKey } from '../../credentials/keys/schema.ts'
import type { Session, TrustedBrowser } from '../../credentials/sessions/schema.ts'
import type { Identity } from '../../providers/connections/schema.ts'
import type { Me } from '../me/schema.ts'

const listOf = (name: string, description: string) =>
  ({ type: 'array', items: { $ref: `${name}#` }, description }) as const

export const ownDataSchema = {
  $id: 'OwnData',
  type: 'object',
  description: 'Everything that is stored about the calling user, without secrets.',
  additionalProperties: false,
  required: [
    'created_at',
    'user',
    'factors',
    'recovery_codes',
    'sessions',
    'trusted_browsers',
    'identities',
    'keys',
    'activity',
  ],
  properties: {
    created_at: { type: 'string', format: 'date-time', description: 'When this was read.' },
    user: { $ref: 'Me#' },
    factors: listOf('Factor', 'Second factors and passkeys.'),
    recovery_codes: { type: 'integer', minimum: 0, description: 'How many are left.' },
    sessions: listOf('Session', 'Where the user is signed in.'),
    trusted_browsers: listOf('TrustedBrowser', 'Where no second factor is asked for.'),
    identities: listOf('Identity', 'Linked accounts of identity providers.'),
    keys: listOf('ApiKey', 'Personal keys.'),
    activity: listOf(
      'AuditRecord',
      'All audit records about the user, the oldest first; of changes by others without the address and browser of those.',
    ),
  },
} as const

export type OwnData = {
  created_at: string
  user: Me
  factors: Factors['factors']
  recovery_codes: number
  sessions: Session[]
  trusted_browsers: TrustedBrowser[]
  identities: Identity[]
  keys: ApiKey[]
  activity: AuditRecord[]
}

/** What has a name in the OpenAPI document. */
export const schemas = [ownDataSchema] as const
