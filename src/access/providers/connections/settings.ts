/** What an operator says of a connection, checked and brought into the form that is stored. */
import { type InputFault, memberFault, validationFailed } from '../../../core/errors.ts'
import type { Rules } from '../../../core/rules.ts'
import { administeringRoles } from '../../../directory/users/service.ts'
import { plainDomain } from '../../../lib/plain-domain.ts'
import type { Kind, KindSettings } from './kinds/kind.ts'
import { kindInputs, kindMembers, kindSecrets, type SecretName } from './kinds/kinds.ts'
import type { SignInConnection, UpdateSignInConnection } from './schema.ts'

/** The settings that every kind has. They are stored with those of the kind, as JSON. */
export type Settings = Pick<
  SignInConnection,
  | 'domains'
  | 'passwords'
  | 'password_exceptions'
  | 'trusted_domains'
  | 'provisioning_domains'
  | 'default_role'
  | 'role_claim'
  | 'roles'
  | 'role_sync'
  | 'group_claim'
  | 'groups'
  | 'group_sync'
  | 'attribute_claims'
  | 'attribute_sync'
  | 'expires_at_claim'
  | 'expires_at_sync'
  | 'missing_claims'
  | 'second_factor'
  | 'acr_values'
>

export const initialSettings: Settings = {
  domains: [],
  passwords: 'allowed',
  password_exceptions: [],
  trusted_domains: [],
  provisioning_domains: [],
  default_role: 'user',
  role_claim: null,
  roles: {},
  role_sync: 'creation',
  group_claim: null,
  groups: {},
  group_sync: 'creation',
  attribute_claims: {},
  attribute_sync: 'creation',
  expires_at_claim: null,
  expires_at_sync: 'creation',
  missing_claims: 'keep',
  second_factor: 'own',
  acr_values: [],
}

const settingNames = Object.keys(initialSettings) as (keyof Settings)[]

type Input = Omit<UpdateSignInConnection, SecretName>

/** The roles that a mapping may give. */
type AssignedRoles = Pick<Rules, 'roles'> & Partial<Pick<Rules, 'closedRoles'>>

/** Settings of both, flat. */
export type AllSettings = Settings & KindSettings

export function settingsOf({ settings }: { settings: string }): AllSettings {
  return { ...initialSettings, ...(JSON.parse(settings) as AllSettings) }
}

/**
 * Returns the settings with the changes of `input`. A draft may lack what the provider will give.
 *
 * @throws AppError `validation_failed` with every fault found
 */
export function changedSettings(
  { rules, kind, isDraft }: { rules: AssignedRoles; kind: Kind; isDraft: boolean },
  before: AllSettings | undefined,
  input: Input,
): AllSettings {
  const provided = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const faults = foreignMembers(kind, [...provided.keys()])
  const settings = pick(
    new Map([...Object.entries({ ...initialSettings, ...before }), ...provided]),
    settingNames,
  ) as Settings
  for (const member of ['domains', 'trusted_domains', 'provisioning_domains'] as const) {
    const domains = settings[member].map((domain, index) => {
      const ascii = plainDomain(domain)
      if (ascii === undefined) {
        faults.push(memberFault(member, 'domain_invalid', 'This is not a domain such as example.com.', index))
      }
      return ascii ?? domain
    })
    settings[member] = [...new Set(domains)]
  }
  if (settings.passwords === 'refused_for_domains' && settings.domains.length === 0) {
    faults.push(memberFault('domains', 'missing_member', 'Name the domains whose users may not use a password.'))
  }
  settings.password_exceptions = [...new Set(settings.password_exceptions.map((id) => id.toLowerCase()))]
  faults.push(...mappingFaults(rules, settings))
  const own = { preset: kind.presets[0], ...kind.initial, ...before, ...pick(provided, ['preset', ...kind.members]) }
  if (!kind.presets.includes(own.preset as string)) {
    const detail = `A connection of this kind has one of these presets: ${kind.presets.join(', ')}.`
    faults.push(memberFault('preset', 'preset_unknown', detail))
  }
  const normalized = kind.normalize(own, new Set(provided.keys()))
  faults.push(...normalized.faults)
  const isMissing = (name: string) => normalized.settings[name] === undefined
  const missing = isDraft ? [] : kind.members.filter(isMissing)
  faults.push(...missing.map((name) => memberFault(name, 'missing_member', `${name} is required.`)))
  if (faults.length > 0) throw validationFailed(faults)
  return { ...pick(new Map(Object.entries(normalized.settings)), ['preset', ...kind.members]), ...settings }
}

function pick(from: ReadonlyMap<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (from.has(name) ? [[name, from.get(name)]] : [])))
}

function foreignMembers(kind: Kind, memberNames: readonly string[]): InputFault[] {
  const foreign = [kindMembers, kindInputs, kindSecrets].flatMap((all) => Object.keys(all))
  return memberNames
    .filter((name) => foreign.includes(name) && !kind.members.includes(name) && !kind.secrets.includes(name))
    .map((name) => memberFault(name, 'member_of_another_kind', `Connections of the kind ${kind.name} do not have it.`))
}

function mappingFaults(rules: AssignedRoles, settings: Settings): InputFault[] {
  const { default_role, roles, role_claim } = settings
  const existing = Object.keys(rules.roles).filter((role) => !rules.closedRoles?.includes(role))
  const faults = [...new Set(Object.values(roles))]
    .filter((role) => !existing.includes(role))
    .map(() =>
      memberFault(
        'roles',
        'role_unknown',
        'One of these roles does not exist. GET /roles lists those that you can give.',
      ),
    )
  if (!existing.includes(default_role)) {
    faults.push(
      memberFault(
        'default_role',
        'role_unknown',
        'This role does not exist. GET /roles lists those that you can give.',
      ),
    )
  } else if (administeringRoles({ rules }).includes(default_role)) {
    const detail =
      'Not everyone may become an administrator. Name the administrators in roles, by a value of role_claim.'
    faults.push(memberFault('default_role', 'role_administers', detail))
  }
  if (Object.keys(roles).length > 0 && role_claim === null) {
    faults.push(
      memberFault('role_claim', 'missing_member', 'roles translates the values of a claim. Name it in role_claim.'),
    )
  }
  if (Object.keys(settings.groups).length > 0 && settings.group_claim === null) {
    const detail = 'groups translates the values of a claim. Name it in group_claim.'
    faults.push(memberFault('group_claim', 'missing_member', detail))
  }
  return faults
}
