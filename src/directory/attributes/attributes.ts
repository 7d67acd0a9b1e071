/**
 * The rules of definitions: how many there are, that existing users fit them, what becomes of their values. Leaves the values
 * of a single user to values.ts, and their index to entries.ts. A change of a definition holds all users.
 */

import { AppError, memberFault, validationFailed } from '../../core/errors.ts'
import { type ExpectedVersion, refuseUnexpected } from '../../core/expected-version.ts'
import { permits } from '../../core/scope.ts'
import { timestamp } from '../../lib/instant.ts'
import type { ChangeContext, Context } from '../../store/context.ts'
import { overrideDetails, refuseManagedByFile } from '../../store/managed-by-file.ts'
import { compile, type Definition } from './definitions.ts'
import { checkSettings, settingsOf } from './input.ts'
import { attributeChanges, attributeTarget, emitAttribute, emitDeleted } from './journal.ts'
import { type Attribute, type CreateAttribute, mostDefinitions, type Settings, type UpdateAttribute } from './schema.ts'
import * as store from './store.ts'
import { entriesOf, readValues, storedValues, valueFault } from './values.ts'

export type Versioned = { attribute: Attribute; version: number }

function toVersioned(row: store.DefinitionRow): Versioned {
  return { attribute: store.toAttribute(row), version: row.version }
}

/** All definitions, by name. */
export async function list({ db }: Pick<Context, 'db'>): Promise<Attribute[]> {
  return (await store.listDefinitions(db)).map(store.toAttribute)
}

/** @throws AppError `attribute_not_found` */
export async function get({ db }: Pick<Context, 'db'>, name: string): Promise<Versioned> {
  const row = await store.findDefinition(db, name)
  if (row === undefined) throw unknownAttribute()
  return toVersioned(row)
}

/**
 * @throws AppError `validation_failed`, `attribute_name_taken`, `too_many_attributes`, `attribute_violated`,
 *   `permission_denied`
 */
export async function create(ctx: ChangeContext, input: CreateAttribute): Promise<Versioned> {
  const settings = settingsOf(input)
  checkSettings(settings)
  await store.holdUsers(ctx.db)
  const now = timestamp(ctx.now)
  const row = {
    name: input.name,
    version: 1,
    definition: JSON.stringify(settings),
    created_at: now,
    updated_at: now,
    managed_by: null,
  }
  if ((await store.listDefinitions(ctx.db)).length >= mostDefinitions) {
    throw new AppError(
      'too_many_attributes',
      `There can be ${mostDefinitions} attributes. Delete one that is not used.`,
    )
  }
  if (!(await store.insertDefinition(ctx.db, row))) {
    throw new AppError('attribute_name_taken', 'There is already an attribute with this name.')
  }
  if (settings.required) refuseWithoutReading(ctx)
  // No user has a value yet.
  if (settings.required) refuseViolated(await store.countUsers(ctx.db), 'have no value')
  const attribute = store.toAttribute(row)
  emitAttribute(ctx, 'attribute.created', attribute)
  ctx.record({
    action: 'attribute.created',
    target: attributeTarget(attribute),
    changes: attributeChanges(undefined, attribute),
  })
  ctx.announce({ kind: 'attributes_changed' })
  return toVersioned(row)
}

type Update = { name: string; input: UpdateAttribute; expected: ExpectedVersion; override?: boolean }

/**
 * @throws AppError `attribute_not_found`, `precondition_failed`, `validation_failed`, `attribute_violated`,
 *   `permission_denied`, `managed_elsewhere`
 */
export async function update(ctx: ChangeContext, { name, input, expected, override }: Update): Promise<Versioned> {
  await store.holdUsers(ctx.db)
  const found = await getForChange(ctx, name, expected)
  const before = store.toAttribute(found)
  const { name: _, created_at: __, updated_at: ___, managed_by: ____, ...old } = before
  const settings: Settings = { ...old, ...input }
  checkSettings(settings)
  const row = {
    ...found,
    version: found.version + 1,
    definition: JSON.stringify(settings),
    updated_at: timestamp(ctx.now),
  }
  const after = store.toAttribute(row)
  const changes = attributeChanges(before, after)
  refuseManagedByFile(ctx, 'attribute', found, { override, changed: Object.keys(changes) })
  const beside = overrideDetails(ctx, found, override)
  ctx.record({ action: 'attribute.updated', target: attributeTarget(after), changes, ...beside })
  if (Object.keys(changes).length === 0) return toVersioned(found)
  await store.updateDefinition(ctx.db, row)
  await fitUsers(ctx, await compile(after), Object.keys(changes) as (keyof Settings)[])
  emitAttribute(ctx, 'attribute.updated', after)
  ctx.announce({ kind: 'attributes_changed' })
  return toVersioned(row)
}

/**
 * Deletes a definition with the values of all users.
 *
 * @throws AppError `attribute_not_found`, `precondition_failed`, `permission_denied`, `managed_elsewhere`
 */
export async function remove(
  ctx: ChangeContext,
  { name, expected, override }: Pick<Update, 'name' | 'expected' | 'override'>,
): Promise<{ values_removed: number }> {
  refuseWithoutReading(ctx)
  await store.holdUsers(ctx.db)
  const row = await getForChange(ctx, name, expected)
  refuseManagedByFile(ctx, 'attribute', row, { override })
  const found = store.toAttribute(row)
  await store.deleteDefinition(ctx.db, name)
  if (found.searchable || found.unique) await store.setRefreshPlace(ctx.db, '')
  const values_removed = await removeValues(ctx, name)
  emitDeleted(ctx, name, values_removed)
  ctx.record({
    action: 'attribute.deleted',
    target: attributeTarget(found),
    changes: attributeChanges(found, undefined),
    details: { values_removed, ...overrideDetails(ctx, row, override).details },
  })
  ctx.announce({ kind: 'attributes_changed' })
  if (values_removed > 0) ctx.announce({ kind: 'users_changed' })
  return { values_removed }
}

async function getForChange(ctx: ChangeContext, name: string, expected: ExpectedVersion): Promise<store.DefinitionRow> {
  const found = await store.findDefinitionForChange(ctx.db, name)
  if (found === undefined) throw unknownAttribute()
  refuseUnexpected('attribute', found, expected)
  return found
}

function unknownAttribute(): AppError {
  return new AppError('attribute_not_found', 'There is no attribute with this name. GET /attributes lists them.')
}

const ofValues: readonly (keyof Settings)[] = [
  'type',
  'options',
  'required',
  'pattern',
  'minimum',
  'maximum',
  'max_length',
]
const ofIndex: readonly (keyof Settings)[] = ['type', 'unique', 'searchable']

/** Refuses a definition that existing users violate, and rebuilds the index if it changes. */
async function fitUsers(
  ctx: ChangeContext,
  definition: Definition,
  changed: readonly (keyof Settings)[],
): Promise<void> {
  const { name } = definition
  const isChecked = changed.some((member) => ofValues.includes(member))
  const isIndexed = changed.some((member) => ofIndex.includes(member))
  if (!isChecked && !isIndexed) return
  if (isChecked || changed.includes('unique')) refuseWithoutReading(ctx)
  if (isIndexed) {
    await store.deleteEntries(ctx.db, name)
    await store.setRefreshPlace(ctx.db, '')
  }
  // Unique only once it is known that they are: the count has to name all who share a value.
  const indexed = new Map([[name, { ...definition, unique: false, isIndexed: definition.isIndexed }]])
  let [holders, violators, spentMs] = [0, 0, 0]
  for await (const batch of holdersOf(ctx, name)) {
    holders += batch.length
    const began = performance.now()
    for (const { value } of batch) {
      if (valueFault(definition, value) !== undefined) violators++
      // After each value: a batch of long ones takes half a minute.
      if (spentMs + performance.now() - began > longestCheckMs) throw tooSlow()
    }
    spentMs += performance.now() - began
    if (!isIndexed || !definition.isIndexed) continue
    const entries = batch.flatMap(({ user_id, value }) => entriesOf(indexed, user_id, { [name]: value }))
    await store.insertEntries(ctx.db, entries)
  }
  refuseViolated(violators, 'have a value that it would not allow')
  // Only then: another member does not make it worse.
  if (definition.required && changed.includes('required'))
    refuseViolated((await store.countUsers(ctx.db)) - holders, 'have no value')
  if (!isIndexed || !definition.unique) return
  refuseViolated(await store.countSharers(ctx.db, name), 'share a value with another')
  await store.setUnique(ctx.db, name)
}

/** How many users a definition would suit tells their values, one dry run after another. */
function refuseWithoutReading({ actor }: ChangeContext): void {
  if (permits(actor, 'users:read')) return
  const detail = "The response depends on the users' values, so this request also needs the permission users:read."
  throw new AppError('permission_denied', detail)
}

function refuseViolated(users: number, how: string): void {
  if (users === 0) return
  const who = users === 1 ? '1 user would' : `${users} users would`
  throw new AppError(
    'attribute_violated',
    `${who} violate this definition: they ${how}. Change these users first, then repeat the request.`,
  )
}

/** How long the values of all users may take to check: no user can be changed meanwhile. A million short ones take a second. */
const longestCheckMs = 5000

function tooSlow(): AppError {
  const detail = "Checking the users' values against this pattern takes too long. Use a simpler one."
  return validationFailed([memberFault('pattern', 'too_complex', detail)])
}

const holdersAtOnce = 2000

type HolderOfValue = store.Holder & {
  values: ReturnType<typeof readValues>
  value: string | number | boolean | string[]
}

async function* holdersOf(ctx: ChangeContext, name: string): AsyncGenerator<HolderOfValue[]> {
  for (let after = ''; ; ) {
    const rows = await store.listHolders(ctx.db, after, holdersAtOnce)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.flatMap((row) => {
      const values = readValues(row.attributes)
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      return value === undefined ? [] : [{ ...row, values, value }]
    })
    if (rows.length < holdersAtOnce) return
    after = last.user_id
  }
}

/** Returns how many users had a value. */
async function removeValues(ctx: ChangeContext, name: string): Promise<number> {
  const now = timestamp(ctx.now)
  let count = 0
  for await (const batch of holdersOf(ctx, name)) {
    if (batch.length === 0) continue
    count += batch.length
    const next = batch.map(({ user_id, document, values: { [name]: _, ...others } }) => ({
      user_id,
      attributes: storedValues(others),
      document: JSON.stringify({ ...(JSON.parse(document) as object), updated_at: now, attributes: others }),
    }))
    await store.replaceAttributes(ctx.db, next, now)
  }
  return count
}
