/** A policy of second factors, between the form and the setting of the service. */
import type { TestSecondFactorPolicy } from 'rollbook/client'

export type Policy = NonNullable<TestSecondFactorPolicy['policy']>
/** `others`: the roles that the policy does not name. `groups`: a name per line. */
export type Choice = { roles: readonly string[]; others: boolean; groups: string }

const groupPrefix = 'group:'

/** Returns what the form shows for a policy. */
export function choiceOf(policy: Policy, roles: readonly string[]): Choice {
  const entries = typeof policy === 'string' ? { '*': policy } : policy
  const others = entries['*'] === 'required'
  const names = Object.keys(entries).filter((name) => name.startsWith(groupPrefix) && entries[name] === 'required')
  return {
    roles: roles.filter((role) => (entries[role] ?? (others ? 'required' : 'optional')) === 'required'),
    others,
    groups: names.map((name) => name.slice(groupPrefix.length)).join('\n'),
  }
}

/** Returns the shortest policy with this meaning. */
export function policyOf({ roles: required, others, groups }: Choice, roles: readonly string[]): Policy {
  const policy: Record<string, 'optional' | 'required'> = {}
  if (others) policy['*'] = 'required'
  for (const role of roles) {
    if (required.includes(role) !== others) policy[role] = others ? 'optional' : 'required'
  }
  for (const line of groups.split('\n')) {
    const name = line.trim()
    if (name !== '') policy[groupPrefix + name] = 'required'
  }
  const names = Object.keys(policy)
  if (names.length === 0) return 'optional'
  return others && names.length === 1 ? 'required' : policy
}

/** The lines for the environment of the service, as a shell reads them. */
export function settingOf(policy: Policy, from: string): string {
  // A single quote would end the quoted value, so it is escaped as in JSON.
  const value = typeof policy === 'string' ? policy : `'${JSON.stringify(policy).replaceAll("'", '\\u0027')}'`
  const lines = [`ROLLBOOK_SECOND_FACTOR=${value}`, ...(from === '' ? [] : [`ROLLBOOK_SECOND_FACTOR_FROM=${from}`])]
  return lines.join('\n')
}
