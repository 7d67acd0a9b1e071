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
import { setRule } from './inactivity.ts'
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
  const find = (name: store.PolicyRow['name']) => store.findPolicy(db, name)
  return toPolicies(rules, { secondFactor: await find('second_factor'), inactivity: await find('inactivity') })
}

type Stored = { secondFactor: store.PolicyRow | undefined; inactivity: store.PolicyRow | undefined }
type InForce = Pick<Rules, 'secondFactor' | 'configuredSecondFactor' | 'inactivity'>

function toPolicies({ secondFactor, configuredSecondFactor, inactivity }: InForce, stored: Stored): Shown {
  const byFileOrNot = stored.secondFactor?.managed_by === 'file' ? 'file' : null
  const changed = Object.values(stored).flatMap((row) => row?.updated_at ?? [])
  const policies: Policies = {
    second_factor: toPolicyText(secondFactor),
    inactivity: inactivity?.rule ?? null,
    managed_by: { second_factor: configuredSecondFactor === undefined ? byFileOrNot : 'settings' },
    updated_at: changed.toSorted().at(-1) ?? null,
  }
  const isStored = configuredSecondFactor === undefined && stored.secondFactor !== undefined
  if (isStored && stored.inactivity === undefined) return { policies, version: stored.secondFactor?.version ?? 0 }
  return { policies, version: versionOf(policies) }
}

/** A number that differs when the policies do. */
function versionOf(policies: Policies): number {
  return Number.parseInt(createHash('sha256').update(JSON.stringify(policies)).digest('hex').slice(0, 12), 16) + 1
}

type Update = { input: UpdatePolicies; expected: ExpectedVersion; override?: boolean }

/** @throws AppError `validation_failed`, `managed_elsewhere`, `precondition_failed` */
export async function update(ctx: ChangeContext, { input, expected, override }: Update): Promise<Shown> {
  const find = (name: store.PolicyRow['name']) => store.findPolicyForChange(ctx.db, name)
  const found = { secondFactor: await find('second_factor'), inactivity: await find('inactivity') }
  const before = toPolicies(ctx.rules, found)
  refuseUnexpected('policies', before, expected)
  const second = input.second_factor === undefined ? undefined : await setSecondFactor(ctx, found, input, override)
  const rule = input.inactivity === undefined ? undefined : await setRule(ctx, found.inactivity, input.inactivity)
  if (rule !== undefined) {
    if (second === undefined) ctx.record(rule.record)
    else ctx.recordFor(ctx, rule.record)
  }
  const stored = { secondFactor: second?.row ?? found.secondFactor, inactivity: rule?.row ?? found.inactivity }
  if (stored.secondFactor === found.secondFactor && stored.inactivity === found.inactivity) return before
  await publishRules(ctx)
  return toPolicies(ctx.rules, stored)
}

/** Stores the policy, and records that it was set. `row` is undefined if nothing changes. */
async function setSecondFactor(
  ctx: ChangeContext,
  { secondFactor: found }: Stored,
  input: UpdatePolicies,
  override: boolean | undefined,
): Promise<{ row: store.PolicyRow | undefined }> {
  const policy = readPolicy(ctx.rules, input.second_factor ?? 'optional')
  const [before, after] = [toPolicyText(ctx.rules.secondFactor), toPolicyText(policy)]
  const changes = changesOf({ second_factor: before }, { second_factor: after }, ['second_factor'])
  const changed = Object.keys(changes)
  if (ctx.rules.configuredSecondFactor !== undefined && changed.length > 0) throw inSettings()
  const managed = { managed_by: found?.managed_by ?? null }
  refuseManagedByFile(ctx, 'policy', managed, { override, changed })
  const beside = overrideDetails(ctx, managed, override)
  ctx.record({ action: 'policies.updated', target: { kind: 'policy', id: 'second_factor' }, changes, ...beside })
  const managed_by = ctx.byFile ? byFile : managed.managed_by
  if (changed.length === 0 && managed_by === managed.managed_by) return { row: undefined }
  const row = {
    name: 'second_factor' as const,
    // Not 1 again: a client may have seen the number of the default.
    version: (found?.version ?? 0) + 1,
    value: JSON.stringify(policy),
    managed_by,
    updated_at: timestamp(ctx.now),
  }
  await store.setPolicy(ctx.db, row)
  return { row }
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
