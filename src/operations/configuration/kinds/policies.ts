import { memberFault, validationFailed } from '../../../core/errors.ts'
import {
  expectedPolicy,
  type PolicyText,
  readPolicyText,
  rolesInPolicy,
  type SecondFactorPolicy,
  toPolicyText,
} from '../../../core/second-factor.ts'
import { type UpdatePolicies, updatePoliciesSchema } from '../../../directory/policies/schema.ts'
import * as policies from '../../../directory/policies/service.ts'
import { setManagedByFile } from '../../../store/managed-by-file.ts'
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
    const row = await policies.findStored(db)
    if (row === undefined) return []
    const second_factor = inOrder(row.policy)
    // Nothing distinguishes it from a policy that was never set.
    if (row.managed_by === null && second_factor === 'optional') return []
    const { name, managed_by } = row
    return [{ id: name, name, members: { second_factor }, managed_by }]
  },

  initial: () => ({}),

  normalize({ members }, _stored, references) {
    const input = (members.second_factor ?? 'optional') as PolicyText
    const policy = readPolicyText(input)
    if (policy === undefined) {
      throw validationFailed([memberFault('second_factor', 'invalid', `Expected: ${expectedPolicy}.`)])
    }
    refuseUnknown(policy, references)
    const second_factor = inOrder(policy)
    const { configuredSecondFactor: configured } = references.rules
    if (configured !== undefined && !isSame(inOrder(configured), second_factor)) {
      const detail =
        'ROLLBOOK_SECOND_FACTOR is set to something else, and wins. Make both the same, or leave second_factor out of the file.'
      throw validationFailed([memberFault('second_factor', 'managed_elsewhere', detail)])
    }
    return { second_factor }
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
    if (ctx.rules.configuredSecondFactor === undefined) {
      await policies.update(ctx, { input: { second_factor: null }, expected: undefined })
    }
    await setManagedByFile(ctx.db, 'policies', [id], false)
  },
}

/** The order of its names means nothing. */
function inOrder(policy: SecondFactorPolicy): PolicyText {
  const entries = Object.entries(policy).sort(([a], [b]) => (a < b ? -1 : 1))
  return toPolicyText(Object.fromEntries(entries))
}

/** @throws AppError `validation_failed` */
function refuseUnknown(policy: SecondFactorPolicy, { rules, groupId, groupNames }: References): void {
  const roles = Object.keys(rules.roles)
  const fault = (what: 'role' | 'group', key: string, name: string, known: readonly string[]) => ({
    ...unknownName(what, name, { member: '', known }),
    pointer: `#/${pathOf('second_factor', key)}`,
  })
  const groups = Object.keys(policy).filter((key) => key.startsWith('group:'))
  const faults = [
    ...rolesInPolicy(policy)
      .filter((role) => !roles.includes(role))
      .map((role) => fault('role', role, role, roles)),
    ...groups
      .map((key) => [key, key.slice('group:'.length)] as const)
      .filter(([, name]) => groupId(name) === undefined)
      .map(([key, name]) => fault('group', key, name, groupNames())),
  ]
  if (faults.length > 0) throw validationFailed(faults)
}
