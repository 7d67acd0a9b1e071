/** The rules of policies that are stored: which can be changed here, and what they may name. What they mean is in core/. */
import { createHash } from 'node:crypto'
import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import type { Rules } from '../../core/rules.ts'
import {
  expectedPolicy,
  readPolicyText,
  rolesInPolicy,
  type SecondFactorPolicy,
  toPolicyText,
} from '../../core/second-factor.ts'
import { timestamp } from '../../lib/instant.ts'
import { changesOf } from '../../record/journal/service.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../store/managed-by-file.ts'
import { publishRules } from '../../store/rules/publish.ts'
import type { Policies, UpdatePolicies } from './schema.ts'
import * as store from './store.ts'

type Shown = { policies: Policies; version: number }

type StoredPolicy = Pick<store.PolicyRow, 'name' | 'managed_by'> & { policy: SecondFactorPolicy }

/** The stored policy, even while the setting wins. */
export async function findStored(db: Context['db']): Promise<StoredPolicy | undefined> {
  const row = await store.findPolicy(db, 'second_factor')
  if (row === undefined) return undefined
  return { name: row.name, managed_by: row.managed_by, policy: JSON.parse(row.value) as SecondFactorPolicy }
}

export async function get({ db, rules }: Pick<Context, 'db' | 'rules'>): Promise<Shown> {
  return toPolicies(rules, await store.findPolicy(db, 'second_factor'))
}

function toPolicies(rules: Pick<Rules, 'secondFactor' | 'configuredSecondFactor'>, row?: store.PolicyRow): Shown {
  const { secondFactor, configuredSecondFactor } = rules
  const stored = row?.managed_by === 'file' ? 'file' : null
  const policies: Policies = {
    second_factor: toPolicyText(secondFactor),
    managed_by: { second_factor: configuredSecondFactor === undefined ? stored : 'settings' },
    updated_at: row?.updated_at ?? null,
  }
  const isStored = configuredSecondFactor === undefined && row !== undefined
  return { policies, version: isStored ? row.version : versionOf(policies) }
}

/** Of policies that are not stored: a number that differs when they do. */
function versionOf(policies: Policies): number {
  return Number.parseInt(createHash('sha256').update(JSON.stringify(policies)).digest('hex').slice(0, 12), 16) + 1
}

type Update = { input: UpdatePolicies; expected: ExpectedVersion; override?: boolean }

/** @throws AppError `validation_failed`, `managed_elsewhere`, `precondition_failed` */
export async function update(ctx: ChangeContext, { input, expected, override }: Update): Promise<Shown> {
  const found = await store.findPolicyForChange(ctx.db, 'second_factor')
  const before = toPolicies(ctx.rules, found)
  refuseUnexpected('policies', before, expected)
  if (input.second_factor === undefined) return before
  const policy = readPolicy(ctx.rules, input.second_factor ?? 'optional')
  const changes = changesOf(before.policies, { ...before.policies, second_factor: toPolicyText(policy) }, [
    'second_factor',
  ])
  const changed = Object.keys(changes)
  if (ctx.rules.configuredSecondFactor !== undefined && changed.length > 0) throw inSettings()
  const managed = { managed_by: found?.managed_by ?? null }
  refuseManagedByFile(ctx, 'policy', managed, { override, changed })
  const beside = overrideDetails(ctx, managed, override)
  ctx.record({ action: 'policies.updated', target: { kind: 'policy', id: 'second_factor' }, changes, ...beside })
  const managed_by = ctx.byFile ? byFile : managed.managed_by
  if (changed.length === 0 && managed_by === managed.managed_by) return before
  const row = {
    name: 'second_factor' as const,
    // Not 1 again: a client may have seen the number of the default.
    version: (found?.version ?? 0) + 1,
    value: JSON.stringify(policy),
    managed_by,
    updated_at: timestamp(ctx.now),
  }
  await store.setPolicy(ctx.db, row)
  await publishRules(ctx)
  return toPolicies(ctx.rules, row)
}

/** @throws AppError `validation_failed` */
function readPolicy(
  { roles }: Pick<Rules, 'roles'>,
  input: NonNullable<UpdatePolicies['second_factor']>,
): SecondFactorPolicy {
  const policy = readPolicyText(input)
  const fault = (code: string, detail: string) => validationFailed([memberFault('second_factor', code, detail)])
  if (policy === undefined) throw fault('invalid', `Expected: ${expectedPolicy}.`)
  if (rolesInPolicy(policy).every((role) => Object.hasOwn(roles, role))) return policy
  throw fault('role_unknown', `It names a role that does not exist. The roles are ${Object.keys(roles).join(', ')}.`)
}

function inSettings(): AppError {
  const detail = 'ROLLBOOK_SECOND_FACTOR is set. Change that setting and restart the service.'
  return new AppError('managed_elsewhere', detail)
}
