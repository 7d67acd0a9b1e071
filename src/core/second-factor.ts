/** Decides from the setting which users need a second factor, and from which date. */
import { isRoleName } from './role-names.ts'

export type Duty = 'optional' | 'required'

/** By role; `*` stands for roles without an entry of their own, `group:<name>` for the members of a group. */
export type SecondFactorPolicy = Readonly<Record<string, Duty>>

export const expectedPolicy =
  'optional, required, or a JSON object such as {"admin":"required","group:Staff":"required"}'

/** Returns undefined if the text is invalid. */
export function parseSecondFactor(text: string): SecondFactorPolicy | undefined {
  if (text === 'optional' || text === 'required') return { '*': text }
  let policy: unknown
  try {
    policy = JSON.parse(text)
  } catch {
    // The parser's message quotes the text.
    return undefined
  }
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return undefined
  const isFine = Object.entries(policy).every(
    ([name, duty]) =>
      (duty === 'optional' || duty === 'required') &&
      (name === '*' || isRoleName(name) || /^group:[^\p{Cc}]{1,128}$/u.test(name)),
  )
  // Without a prototype: a role named "constructor" must find nothing but a role.
  return isFine ? Object.assign(Object.create(null), policy) : undefined
}

/** A policy as it is written: one word if it says nothing of single roles or groups. */
export type PolicyText = Duty | Record<string, Duty>

export function toPolicyText(policy: SecondFactorPolicy): PolicyText {
  const names = Object.keys(policy)
  return names.length === 1 && policy['*'] !== undefined ? policy['*'] : { ...policy }
}

/** Returns undefined if it is invalid. */
export function readPolicyText(input: PolicyText): SecondFactorPolicy | undefined {
  return parseSecondFactor(typeof input === 'string' ? input : JSON.stringify(input))
}

/** The roles that a policy names. */
export function rolesInPolicy(policy: SecondFactorPolicy): string[] {
  return Object.keys(policy).filter((name) => name !== '*' && isRoleName(name))
}

type Person = { role: string; group_roles: string; groups: readonly { name: string }[] }

/** Whether the policy requires a second factor of this user: the strictest of their roles and groups counts. */
export function requiresSecondFactor(policy: SecondFactorPolicy, { role, group_roles, groups }: Person): boolean {
  const roles = [role, ...group_roles.split(' ').filter((name) => name !== '')]
  if (roles.some((name) => (policy[name] ?? policy['*']) === 'required')) return true
  return groups.some(({ name }) => isRequiredOfGroup(policy, name))
}

/** Whether the policy names the group: its members need a second factor. */
export function isRequiredOfGroup(policy: SecondFactorPolicy, name: string): boolean {
  const wanted = `group:${name}`.toLowerCase()
  return Object.entries(policy).some(([key, duty]) => duty === 'required' && key.toLowerCase() === wanted)
}
