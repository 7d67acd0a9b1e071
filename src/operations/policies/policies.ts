/** The rules of policies that are stored: which can be changed here, and what they may name. What they mean is in core/. */
import { createHash } from 'node:crypto'
import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import type { InactivityPolicy } from '../../core/inactivity.ts'
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
import type { AuditEntry } from '../../store/journal-entry.ts'
import { byFile, overrideDetails, refuseManagedByFile } from '../../store/managed-by-file.ts'
import { publishRules } from '../../store/rules/publish.ts'
import { beginAnew, checkRule } from './inactivity.ts'
import type { Policies, UpdatePolicies } from './schema.ts'
import * as store from './store.ts'

type Shown = { policies: Policies; version: number }

type StoredPolicy =
  | { name: 'second_factor'; managed_by: string | null; policy: SecondFactorPolicy }
  | { name: 'inactivity'; managed_by: string | null; policy: InactivityPolicy | null }

/** The stored policies, the one of second factors even while the setting wins. */
export async function listStored(db: Context['db']): Promise<StoredPolicy[]> {
  const rows = await store.listPolicies(db)
  return rows.map(({ name, managed_by, value }) => ({ name, managed_by, policy: JSON.parse(value) }))
}

export async function get({ db, rules }: Pick<Context, 'db' | 'rules'>): Promise<Shown> {
  return toPolicies(rules, byName(await store.listPolicies(db)))
}

type Rows = Partial<Record<store.PolicyRow['name'], store.PolicyRow>>
type InForce = Pick<Rules, 'secondFactor' | 'configuredSecondFactor' | 'inactivity'>

function byName(rows: readonly store.PolicyRow[]): Rows {
  return Object.fromEntries(rows.map((row) => [row.name, row]))
}

function toPolicies({ secondFactor, configuredSecondFactor, inactivity }: InForce, rows: Rows): Shown {
  const managerOf = (row?: store.PolicyRow) => (row?.managed_by === byFile ? byFile : null)
  const changed = Object.values(rows).map(({ updated_at }) => updated_at)
  const policies: Policies = {
    second_factor: toPolicyText(secondFactor),
    inactivity: inactivity?.rule ?? null,
    managed_by: {
      second_factor: configuredSecondFactor === undefined ? managerOf(rows.second_factor) : 'settings',
      inactivity: managerOf(rows.inactivity),
    },
    updated_at: changed.toSorted().at(-1) ?? null,
  }
  const isStored = configuredSecondFactor === undefined && rows.second_factor !== undefined
  if (isStored && rows.inactivity === undefined) return { policies, version: rows.second_factor?.version ?? 0 }
  return { policies, version: versionOf(policies) }
}

/** A number that differs when the policies do. */
function versionOf(policies: Policies): number {
  return Number.parseInt(createHash('sha256').update(JSON.stringify(policies)).digest('hex').slice(0, 12), 16) + 1
}

type Update = { input: UpdatePolicies; expected: ExpectedVersion; override?: boolean }

/** @throws AppError `validation_failed`, `managed_elsewhere`, `precondition_failed` */
export async function update(ctx: ChangeContext, { input, expected, override }: Update): Promise<Shown> {
  const found = byName(await store.listPoliciesForChange(ctx.db))
  const before = toPolicies(ctx.rules, found)
  refuseUnexpected('policies', before, expected)
  const rows = { ...found }
  for (const [n, setting] of settingsOf(ctx, input).entries()) {
    const record = n === 0 ? ctx.record : (entry: AuditEntry) => ctx.recordFor(ctx, entry)
    const row = await set({ ...ctx, record }, { ...setting, found: found[setting.name], override })
    if (row !== undefined) rows[setting.name] = row
  }
  if (rows.second_factor === found.second_factor && rows.inactivity === found.inactivity) return before
  await publishRules(ctx)
  return toPolicies(ctx.rules, rows)
}

type Setting = {
  name: store.PolicyRow['name']
  /** As callers see it. */
  before: unknown
  after: unknown
  /** As it is stored. */
  value: unknown
}

/** The policies that a request sets. @throws AppError `validation_failed` */
function settingsOf({ rules, now }: ChangeContext, { second_factor, inactivity }: UpdatePolicies): Setting[] {
  const settings: Setting[] = []
  if (second_factor !== undefined) {
    const value = readPolicy(rules, second_factor ?? 'optional')
    const [before, after] = [toPolicyText(rules.secondFactor), toPolicyText(value)]
    settings.push({ name: 'second_factor', before, after, value })
  }
  if (inactivity !== undefined) {
    const rule = inactivity && checkRule(rules, inactivity)
    settings.push({
      name: 'inactivity',
      before: rules.inactivity?.rule ?? null,
      after: rule,
      // A rule that begins tells everyone first who is overdue; one that changes does so for whom it newly concerns.
      value: rule && { since: rules.inactivity?.since ?? timestamp(now), rule },
    })
  }
  return settings
}

/** Stores the policy, and records that it was set. Returns undefined if nothing changes. */
async function set(
  ctx: ChangeContext,
  {
    name,
    before,
    after,
    value,
    found,
    override,
  }: Setting & { found: store.PolicyRow | undefined; override: boolean | undefined },
): Promise<store.PolicyRow | undefined> {
  const changes = changesOf({ [name]: before }, { [name]: after }, [name])
  const changed = Object.keys(changes)
  if (name === 'second_factor' && ctx.rules.configuredSecondFactor !== undefined && changed.length > 0) {
    throw inSettings()
  }
  const managed = { managed_by: found?.managed_by ?? null }
  refuseManagedByFile(ctx, 'policy', managed, { override, changed })
  const beside = overrideDetails(ctx, managed, override)
  ctx.record({ action: 'policies.updated', target: { kind: 'policy', id: name }, changes, ...beside })
  const managed_by = ctx.byFile ? byFile : managed.managed_by
  if (changed.length === 0 && managed_by === managed.managed_by) return undefined
  const row = {
    name,
    // Not 1 again: a client may have seen the number of the default.
    version: (found?.version ?? 0) + 1,
    value: JSON.stringify(value),
    managed_by,
    updated_at: timestamp(ctx.now),
  }
  await store.setPolicy(ctx.db, row)
  if (name === 'inactivity' && changed.length > 0) await beginAnew(ctx.db)
  return row
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
