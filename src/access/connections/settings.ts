/** What an operator says of a connection, checked and brought into the form that is stored. */
import { domainToASCII } from 'node:url'
import { type InputFault, memberFault, validationFailed } from '../../core/errors.ts'
import { administeringRoles } from '../../directory/users/rights.ts'
import type { Rules } from '../../store/context.ts'
import type { SignInConnection, UpdateSignInConnection } from './schema.ts'

/** The members that are stored together, as JSON. */
export type Settings = Pick<
  SignInConnection,
  | 'scopes'
  | 'read_userinfo'
  | 'trusted_domains'
  | 'provisioning_domains'
  | 'default_role'
  | 'role_claim'
  | 'roles'
  | 'role_sync'
  | 'second_factor'
  | 'acr_values'
>

export const initialSettings: Settings = {
  scopes: ['openid', 'profile', 'email'],
  read_userinfo: false,
  trusted_domains: [],
  provisioning_domains: [],
  default_role: 'user',
  role_claim: null,
  roles: {},
  role_sync: 'creation',
  second_factor: 'own',
  acr_values: [],
}

const settingNames = Object.keys(initialSettings) as (keyof Settings)[]

const knownIssuers: Readonly<Record<string, string>> = {
  google: 'https://accounts.google.com',
  gitlab: 'https://gitlab.com',
}

/** The issuer that a preset stands for; undefined if each company has its own. */
export function issuerOf(preset: string): string | undefined {
  return knownIssuers[preset]
}

type Input = Omit<UpdateSignInConnection, 'client_secret'>

/**
 * Returns the settings with the changes of `input`.
 *
 * @throws AppError `validation_failed` with every fault found
 */
export function changedSettings(rules: Pick<Rules, 'roles'>, before: Settings, input: Input): Settings {
  const given = Object.fromEntries(
    settingNames.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  )
  const settings: Settings = { ...before, ...given }
  const faults: InputFault[] = []
  if (!settings.scopes.includes('openid')) settings.scopes = ['openid', ...settings.scopes]
  for (const member of ['trusted_domains', 'provisioning_domains'] as const) {
    settings[member] = settings[member].map((domain, index) => {
      const ascii = plainDomain(domain)
      if (ascii === undefined) {
        faults.push(memberFault(member, 'domain_invalid', 'This is not a domain such as example.com.', index))
      }
      return ascii ?? domain
    })
  }
  faults.push(...roleFaults(rules, settings))
  if (input.issuer !== undefined) faults.push(...issuerFaults(input.issuer))
  if (faults.length > 0) throw validationFailed(faults)
  return settings
}

function roleFaults(rules: Pick<Rules, 'roles'>, { default_role, roles, role_claim }: Settings): InputFault[] {
  const known = Object.keys(rules.roles).join(', ')
  const faults = [...new Set(Object.values(roles))]
    .filter((role) => !Object.hasOwn(rules.roles, role))
    .map(() => memberFault('roles', 'role_unknown', `One of these roles does not exist. The roles are ${known}.`))
  if (!Object.hasOwn(rules.roles, default_role)) {
    faults.push(memberFault('default_role', 'role_unknown', `This role does not exist. The roles are ${known}.`))
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
  return faults
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

function issuerFaults(text: string): InputFault[] {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fault = (code: string, detail: string) => [memberFault('issuer', code, detail)]
  if (url === undefined) return fault('url_malformed', 'This is not a URL. It must begin with https://.')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback.test(url.hostname))) {
    return fault('url_scheme', 'The issuer must use https.')
  }
  if (
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== '' ||
    text.includes('.well-known')
  ) {
    return fault('issuer_invalid', 'The issuer has no user, query or fragment, and does not end with /.well-known/….')
  }
  if (
    /^login\.microsoftonline\.com$/.test(url.hostname) &&
    /^\/(common|organizations|consumers)\b/.test(url.pathname)
  ) {
    const detail =
      'This issuer stands for every company. Use the one with the id of your tenant: https://login.microsoftonline.com/{tenant id}/v2.0'
    return fault('issuer_of_everyone', detail)
  }
  return []
}

/** A domain in lower case and ASCII; undefined if it is none. */
export function plainDomain(text: string): string | undefined {
  const ascii = /^[\p{L}\p{N}\p{M}.-]+$/u.test(text) ? domainToASCII(text).toLowerCase() : ''
  return /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/.test(ascii) ? ascii : undefined
}
