import { memberFault, validationFailed } from '../../../core/errors.ts'
import { type InactivityRule, rolesInRule } from '../../../core/inactivity.ts'
import {
  expectedPolicy,
  type PolicyText,
  readPolicyText,
  rolesInPolicy,
  type SecondFactorPolicy,
  toPolicyText,
} from '../../../core/second-factor.ts'
import { setManagedByFile } from '../../../store/managed-by-file.ts'
import { type UpdatePolicies, updatePoliciesSchema } from '../../policies/schema.ts'
import * as policies from '../../policies/service.ts'
import type { Kind, References } from '../kind.ts'
import { isSame } from '../plan.ts'
import { pathOf, unknownName } from './members.ts'

/** Each policy is an object of its own, whose only member is the policy. Without one in the file it has its default. */
export const policyKind: Kind = {
  section: 'policies',
  needs: 'policies:write',
  schema: { ...updatePoliciesSchema, required: [] },
  renames: false,
  nameKey: (name) => name,

  async list(db) {
    const stored = await policies.listStored(db)
    return stored.flatMap((one) => {
      const { name, managed_by } = one
      const value = one.name === 'second_factor' ? inOrder(one.policy) : sortedRule(one.policy?.rule ?? null)
      // Nothing distinguishes it from a policy that was never set.
      if (managed_by === null && isSame(value, defaults[name])) return []
      return [{ id: name, name, members: { [name]: value }, managed_by }]
    })
  },

  initial: () => ({}),

  normalize({ name, members }, _stored, references) {
    return name === 'inactivity'
      ? { inactivity: readInactivity(members.inactivity, references) }
      : { second_factor: readSecondFactor(members.second_factor, references) }
  },

  async create(ctx, { wanted, members }) {
    await policies.update(ctx, { input: members as UpdatePolicies, expected: undefined })
    return { id: wanted.name }
  },

  async update(ctx, _stored, { changed }) {
    await policies.update(ctx, { input: changed as UpdatePolicies, expected: undefined })
  },

  async remove(ctx, { id }) {
    // While the setting wins, the stored policy cannot change, and means nothing.
    if (id !== 'second_factor' || ctx.rules.configuredSecondFactor === undefined) {
      await policies.update(ctx, { input: { [id]: null }, expected: undefined })
    }
    await setManagedByFile(ctx.db, 'policies', [id], false)
  },
}

const defaults: Readonly<Required<UpdatePolicies>> = { second_factor: 'optional', inactivity: null }

/** @throws AppError `validation_failed` */
function readSecondFactor(input: unknown, references: References): PolicyText {
  const policy = readPolicyText((input ?? 'optional') as PolicyText)
  if (policy === undefined) {
    throw validationFailed([memberFault('second_factor', 'invalid', `Expected: ${expectedPolicy}.`)])
  }
  refuseUnknown('second_factor', { roles: rolesInPolicy(policy), names: Object.keys(policy) }, references)
  const second_factor = inOrder(policy)
  const { configuredSecondFactor: configured } = references.rules
  if (configured !== undefined && !isSame(inOrder(configured), second_factor)) {
    const detail =
      'ROLLBOOK_SECOND_FACTOR is set to something else, and wins. Make both the same, or leave second_factor out of the file.'
    throw validationFailed([memberFault('second_factor', 'managed_elsewhere', detail)])
  }
  return second_factor
}

/** @throws AppError `validation_failed` */
function readInactivity(input: unknown, references: References): InactivityRule | null {
  const rule = (input ?? null) as InactivityRule | null
  if (rule === null) return null
  refuseUnknown('inactivity', { roles: rolesInRule(rule), names: Object.keys(rule) }, references)
  return sortedRule(policies.checkRule(references.rules, rule))
}

function sortedRule(rule: InactivityRule | null): InactivityRule | null {
  return rule && Object.fromEntries(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The order of its names means nothing. */
function inOrder(policy: SecondFactorPolicy): PolicyText {
  const entries = Object.entries(policy).sort(([a], [b]) => (a < b ? -1 : 1))
  return toPolicyText(Object.fromEntries(entries))
}

/** @throws AppError `validation_failed` */
function refuseUnknown(
  member: keyof UpdatePolicies,
  { roles: named, names }: { roles: readonly string[]; names: readonly string[] },
  { rules, groupId, groupNames }: References,
): void {
  const roles = Object.keys(rules.roles)
  const fault = (what: 'role' | 'group', key: string, name: string, known: readonly string[]) => ({
    ...unknownName(what, name, { member: '', known }),
    pointer: `#/${pathOf(member, key)}`,
  })
  const groups = names.filter((key) => key.startsWith('group:'))
  const faults = [
    ...named.filter((role) => !roles.includes(role)).map((role) => fault('role', role, role, roles)),
    ...groups
      .map((key) => [key, key.slice('group:'.length)] as const)
      .filter(([, name]) => groupId(name) === undefined)
      .map(([key, name]) => fault('group', key, name, groupNames())),
  ]
  if (faults.length > 0) throw validationFailed(faults)
}
