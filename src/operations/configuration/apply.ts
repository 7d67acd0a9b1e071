/**
 * Applies a file, or says what an apply would do: one transaction for all objects, through the rules of their rooms. A plan runs the
 * same changes, and its transaction is rolled back.
 */

import { system } from '../../core/actor.ts'
import { nameMemberOf, type SectionName, sectionNames } from '../../core/configuration-file.ts'
import { AppError, type InputFault, validationFailed } from '../../core/errors.ts'
import { holds } from '../../core/rules.ts'
import { permits } from '../../core/scope.ts'
import { refuseOtherVersion } from '../../http/request/conditional.ts'
import { counted } from '../../lib/amounts.ts'
import { timestamp } from '../../lib/instant.ts'
import { apart } from '../../record/journal/service.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'
import { byFile, setManagedByFile } from '../../store/managed-by-file.ts'
import { findState, setState } from '../../store/state.ts'
import { Faults } from './faults.ts'
import type { Names, References, Wanted } from './kind.ts'
import { kindIn } from './kinds/kinds.ts'
import { unknownName } from './kinds/members.ts'
import {
  type Change,
  countsOf,
  digestsOf,
  isSame,
  leavingSteps,
  type Mark,
  type Match,
  type MemberChange,
  matchObjects,
  type Named,
  nameFaults,
  type PlanCounts,
  type SectionState,
  type Step,
  stepOf,
  storedKey,
  swapRefused,
} from './plan.ts'
import { findUserIds, keyOf, readState, type State } from './state.ts'
import * as store from './store.ts'

export type ApplyInput = {
  wanted: readonly Wanted[]
  /** The sections that the file has. */
  sections: readonly SectionName[]
  generation?: number | undefined
  source?: string | undefined
  /** How many objects may be deleted. */
  allow_delete: number
  /** The header If-Match. */
  ifMatch?: string | undefined
  /** It is rolled back, so the number of deletions does not matter. */
  isPlan: boolean
  /** What is wrong already. Nothing is applied then, but other faults are found. */
  faults: readonly InputFault[]
  /** Objects of the file that have such faults: others may name them. */
  faulty: readonly Named[]
}

export type Outcome = PlanCounts & {
  changes: Change[]
  secrets: { kind: SectionName; name: string; secret: string }[]
  etag: string
}

const generationState = 'configuration_generation'
const recentApplies = 50

/**
 * @throws AppError `precondition_failed`, `deletion_not_allowed`, and for faults `validation_failed` or what all of them are
 */
export async function apply(ctx: ChangeContext, input: ApplyInput): Promise<Outcome> {
  await ctx.db.lock(['configuration'])
  const state = await readState(ctx.db)
  refuseOtherVersion({ headers: input.ifMatch === undefined ? {} : { 'if-match': input.ifMatch } }, state.etag)
  const faults = new Faults()
  faults.add(...input.faults)
  await refuseOlder(ctx, input, faults)
  const { steps, pending } = await planSteps(ctx, { state, input, faults })
  const counts = countsOf(steps)
  if (faults.isEmpty && !input.isPlan && counts.deleted > input.allow_delete)
    throw tooManyDeletions(counts.deleted, input)
  // Whoever may read plans only is told what an apply by an administrator would do.
  const isReader = input.isPlan && !holds(ctx.actor.permissions, 'configuration:write')
  const caller: ChangeContext = { ...ctx, byFile: true, ...(isReader && { actor: system }) }
  const left = isReader ? untold(ctx) : refuseWithoutPermission(ctx, steps, faults)
  const done = await execute(caller, {
    steps: steps.filter((step) => !left.includes(sectionOf(step))),
    faults,
    pending,
  })
  faults.throwAny()
  const changes = steps.flatMap(({ change }) => change ?? [])
  if (input.isPlan) return { changes, ...counts, secrets: [], etag: state.etag }
  await writeMarks(ctx, { state, steps, ids: done.ids, sections: input.sections, pending })
  await recordApply(ctx, { changes, counts, input })
  const { etag } = changes.length === 0 ? state : await readState(ctx.db)
  return { changes, ...counts, secrets: done.secrets, etag }
}

/** The generation of the last file that had one. */
export async function findGeneration(db: Db): Promise<number | undefined> {
  const stored = await findState(db, generationState)
  return stored === undefined ? undefined : Number(stored)
}

async function refuseOlder({ db }: ChangeContext, { generation }: ApplyInput, faults: Faults): Promise<void> {
  const applied = await findGeneration(db)
  if (applied === undefined || (generation !== undefined && generation >= applied)) return
  const detail =
    generation === undefined
      ? `An applied file had the generation ${applied}, so each later one needs a generation.`
      : `A file with the generation ${applied} has been applied. This one is older.`
  faults.add({
    pointer: '#/generation',
    code: generation === undefined ? 'missing_member' : 'generation_outdated',
    detail,
  })
}

function tooManyDeletions(count: number, { allow_delete }: ApplyInput): AppError {
  const detail = `This file deletes ${counted(count, 'object')}, and ${allow_delete} may be deleted. Look at the plan, then allow ${count}.`
  return new AppError('deletion_not_allowed', detail)
}

/** Sections whose objects others name, where the API has ids. */
const namedSections = ['groups', 'organizations'] as const satisfies SectionName[]
type NamedSection = (typeof namedSections)[number]

/** Begins the id of an object that the file creates, until it has one. */
const placeholder = 'new of the file: '

type Pending = { idOf(text: string): string; set(section: NamedSection, name: string, id: string): void }

function pendingIds(): Pending {
  const ids = new Map<string, string>()
  return {
    idOf: (text) => (text.startsWith(placeholder) ? (ids.get(text) ?? text) : text),
    set: (section, name, id) => ids.set(placeholderOf(section, name), id),
  }
}

function placeholderOf(section: NamedSection, name: string): string {
  return `${placeholder}${section} ${kindIn(section).nameKey(name)}`
}

type Planning = { state: State; input: ApplyInput; faults: Faults }

async function planSteps(
  ctx: ChangeContext,
  { state, input, faults }: Planning,
): Promise<{ steps: Step[]; pending: Pending }> {
  const wanted = Map.groupBy(input.wanted, ({ section }) => section)
  const sections = sectionNames.filter((name) => input.sections.includes(name))
  const matched = new Map(
    sections.map((name) => {
      const section = state.sections.get(name) as SectionState
      const { matches, faults: found } = matchObjects(section, wanted.get(name) ?? [])
      const faulty = input.faulty.filter((one) => one.section === name)
      faults.add(...found, ...nameFaults(section.kind, [...matches.map(({ wanted }) => wanted), ...faulty]))
      return [name, { section, matches }] as const
    }),
  )
  const planned = { ...ctx, rules: rulesAfter(ctx, matched.get('roles'), input.faulty) }
  const matchesOf = (section: NamedSection) => matched.get(section)?.matches
  const references = await referencesOf(planned, { state, matchesOf, input })
  const names = namesWithNew(state.names, matchesOf)
  const steps: Step[] = []
  for (const { section, matches } of matched.values()) {
    for (const match of matches.toSorted((a, b) => (a.wanted.name < b.wanted.name ? -1 : 1))) {
      const { pointer } = match.wanted
      const step = await faults.collect(pointer, () => {
        const members = section.kind.normalize(match.wanted, match.stored, references)
        return stepOf(section.kind, match, members, names)
      })
      if (step !== undefined) steps.push(step)
    }
    // An object with a fault has not left the file.
    if (input.faults.length === 0) steps.push(...leavingSteps(section, matches, names))
  }
  return { steps, pending: pendingIds() }
}

/** The rules with the roles that the file creates, and without those that it removes. */
function rulesAfter(
  { rules }: ChangeContext,
  roles: { section: SectionState; matches: readonly Match[] } | undefined,
  faulty: readonly Named[],
): ChangeContext['rules'] {
  if (roles === undefined) return rules
  const { section, matches } = roles
  const unusable = faulty.filter((one) => one.section === 'roles').map(({ name }) => [name, []] as const)
  const named = new Set([...matches.map(({ wanted }) => wanted.name), ...unusable.map(([name]) => name)])
  const removed = section.marks.filter(({ origin, name }) => origin === 'created' && !named.has(name))
  const left = Object.entries(rules.roles).filter(([role]) => !removed.some(({ object_id }) => object_id === role))
  const added = matches.map(({ wanted }) => [wanted.name, (wanted.members.permissions ?? []) as string[]] as const)
  return {
    ...rules,
    roles: { ...Object.fromEntries(unusable), ...Object.fromEntries(left), ...Object.fromEntries(added) },
  }
}

type MatchesOf = (section: NamedSection) => readonly Match[] | undefined

function namesWithNew({ users, ...names }: Names, matchesOf: MatchesOf): Names {
  const [groups, organizations] = (['groups', 'organizations'] as const).map((section) => {
    const added = (matchesOf(section) ?? []).map(
      ({ wanted, stored }) => [stored?.id ?? placeholderOf(section, wanted.name), wanted.name] as const,
    )
    return added.length === 0 ? names[section] : new Map([...names[section], ...added])
  })
  return { users, groups: groups ?? names.groups, organizations: organizations ?? names.organizations }
}

type Referring = { state: State; matchesOf: MatchesOf; input: ApplyInput }

async function referencesOf(ctx: ChangeContext, { state, matchesOf, input }: Referring): Promise<References> {
  const usernames = input.wanted.flatMap(({ members }) => (members.password_exceptions as string[] | undefined) ?? [])
  const users = usernames.length === 0 ? new Map<string, string>() : await findUserIds(ctx.db, usernames)
  const groups = idsByName('groups', { state, matchesOf, input })
  const organizations = idsByName('organizations', { state, matchesOf, input })
  return {
    rules: ctx.rules,
    groupId: groups.find,
    groupNames: groups.names,
    userId: (username) => users.get(keyOf(username) ?? ''),
    organizationId(name) {
      if (name === undefined || name === null) return null
      const id = organizations.find(String(name))
      if (id !== undefined) return id
      const known = organizations.names()
      throw validationFailed([unknownName('organization', String(name), { member: 'organization', known })])
    },
  }
}

/** The objects of the file, and those outside it that remain. */
function idsByName(section: NamedSection, { state, matchesOf, input }: Referring) {
  const { kind, stored, marks } = state.sections.get(section) as SectionState
  const matches = matchesOf(section)
  const ids = new Map<string, string>()
  const leaving = new Set(
    matches === undefined || input.faults.length > 0
      ? []
      : marks.filter(({ origin }) => origin === 'created').map(({ object_id }) => object_id),
  )
  for (const one of stored) if (!leaving.has(one.id)) ids.set(storedKey(kind, one), one.id)
  for (const { wanted, stored } of matches ?? []) {
    // Its former name is free after the apply.
    if (stored !== undefined) ids.delete(storedKey(kind, stored))
    ids.set(kind.nameKey(wanted.name), stored?.id ?? placeholderOf(section, wanted.name))
  }
  const faulty = input.faulty.filter((one) => one.section === section)
  for (const { name } of faulty) ids.set(kind.nameKey(name), placeholderOf(section, name))
  return {
    find: (name: string) => ids.get(kind.nameKey(name)),
    names: () =>
      [...stored.filter(({ id }) => !leaving.has(id)), ...(matches ?? []).map(({ wanted }) => wanted), ...faulty].map(
        ({ name }) => name,
      ),
  }
}

/** Whether users fit a definition would tell their values, one plan after another. */
function untold({ actor }: ChangeContext): readonly SectionName[] {
  return permits(actor, 'users:read') ? [] : ['attributes']
}

/** Returns the sections that the caller may not change. */
function refuseWithoutPermission({ actor }: ChangeContext, steps: readonly Step[], faults: Faults): SectionName[] {
  const changed = new Set(steps.flatMap(({ change }) => change?.kind ?? []))
  const refused = [...changed].filter((section) => !holds(actor.permissions, kindIn(section).needs))
  for (const section of refused) {
    const { needs } = kindIn(section)
    const refusal = new AppError('permission_denied', `The changes of ${section} need the permission ${needs}.`)
    faults.addRefusal(refusal, `#/${section}`)
  }
  return refused
}

function sectionOf(step: Step): SectionName {
  return 'match' in step ? step.match.wanted.section : step.change.kind
}

type Executing = { steps: readonly Step[]; faults: Faults; pending: Pending }
type Executed = { ids: Map<Wanted, string>; secrets: Outcome['secrets'] }
type MatchStep = Extract<Step, { match: Match }>

/**
 * Roles and policies first: others name the roles, and policies name groups. Then deletions, because existing objects count towards
 * limits and unique values. Then creations and changes, in the order of the sections.
 */
async function execute(ctx: ChangeContext, { steps, faults, pending }: Executing): Promise<Executed> {
  const done: Executed = { ids: new Map(), secrets: [] }
  const deletions = steps
    .flatMap((step) => ('match' in step || step.change.action !== 'delete' ? [] : [step]))
    .toReversed()
  const remove = async (some: typeof deletions) => {
    for (const { change, stored } of some) {
      const { kind: section } = change
      await faults.collect(`#/${section}`, () => alone(ctx, (own) => kindIn(section).remove(own, stored)))
    }
  }
  const makeSection = async (section: SectionName) => {
    const waiting = steps.filter((step) => 'match' in step && step.change !== undefined && sectionOf(step) === section)
    await makeAll(ctx, waiting as MatchStep[], { faults, pending, done })
  }
  for (const section of early) await makeSection(section)
  await remove(deletions.filter(({ change }) => change.kind === 'policies'))
  await remove(deletions.filter(({ change }) => !early.includes(change.kind)))
  for (const section of sectionNames.filter((one) => !early.includes(one))) await makeSection(section)
  // By now nothing in the file names them any more.
  await remove(deletions.filter(({ change }) => change.kind === 'roles'))
  return done
}

const early: readonly SectionName[] = ['roles', 'policies']

/** Refusals that have no effect, and may end once another object of the file has given up a name or a value. */
const taken: readonly string[] = [
  'group_name_taken',
  'organization_name_taken',
  'external_id_taken',
  'connection_name_taken',
]

type Surroundings = { faults: Faults; pending: Pending; done: Executed }

async function makeAll(ctx: ChangeContext, steps: readonly MatchStep[], surroundings: Surroundings): Promise<void> {
  const refused: { step: MatchStep; error: unknown }[] = []
  for (const step of steps) {
    try {
      await make(ctx, step, surroundings)
    } catch (error) {
      refused.push({ step, error })
    }
  }
  const [again, faulty] = [
    refused.filter(({ error }) => isTaken(error)),
    refused.filter(({ error }) => !isTaken(error)),
  ]
  for (const { step, error } of faulty) {
    if (!followsFrom(surroundings.faults, error)) surroundings.faults.addRefusal(error, step.match.wanted.pointer)
  }
  const stuck = again.map(({ step }) => step)
  if (stuck.length > 0 && stuck.length < steps.length) {
    await makeAll(ctx, stuck, surroundings)
    return
  }
  for (const { step, error } of again) {
    const { pointer, section } = step.match.wanted
    const swapped = { pointer: `${pointer}/${nameMemberOf(section)}`, code: 'names_swapped', detail: swapRefused }
    if (wantsNameOf(stuck, step)) surroundings.faults.add(swapped)
    else surroundings.faults.addRefusal(error, pointer)
  }
}

/** The role of the file that it names was refused, which is the fault to report: names that do not exist were found before. */
function followsFrom(faults: Faults, error: unknown): boolean {
  if (faults.isEmpty || !(error instanceof AppError)) return false
  return error.errors?.every(({ code }) => code === 'role_unknown') ?? false
}

/** Whether another of the steps has the name that this one is to get. */
function wantsNameOf(steps: readonly MatchStep[], { match: { wanted, stored } }: MatchStep): boolean {
  const { nameKey } = kindIn(wanted.section)
  const key = nameKey(wanted.name)
  if (stored === undefined || nameKey(stored.name) === key) return false
  return steps.some(({ match }) => match.stored !== undefined && nameKey(match.stored.name) === key)
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  return taken.includes(error.code) || (error.errors ?? []).some(({ code }) => code === 'domain_taken')
}

async function make(
  ctx: ChangeContext,
  { match: { wanted, stored }, members, changed, secretsChanged }: MatchStep,
  { pending, done }: Surroundings,
): Promise<void> {
  const kind = kindIn(wanted.section)
  const withIds = (some: MatchStep['members']) => kind.withIds?.(some, pending.idOf) ?? some
  const making = { wanted, members: withIds(members), secretsChanged }
  // What it names was refused, which is the fault to report.
  if (JSON.stringify(making.members).includes(placeholder)) return
  const found = { kind: kind.section, name: wanted.name }
  await alone(ctx, async (own) => {
    if (stored === undefined) {
      const { id, secret } = await kind.create(own, making)
      done.ids.set(wanted, id)
      if (secret !== undefined) done.secrets.push({ ...found, secret })
      const section = namedSections.find((one) => one === kind.section)
      if (section !== undefined) pending.set(section, wanted.name, id)
      return
    }
    if (secretsChanged || Object.keys(changed).length > 0) {
      await kind.update(own, stored, { ...making, changed: withIds(changed) })
    }
    if (!wanted.rotates || kind.rotate === undefined) return
    done.secrets.push({ ...found, ...(await kind.rotate(own, stored, wanted)) })
  })
}

/** Runs the change of one object. Its records are written if it was not refused. */
async function alone(ctx: ChangeContext, work: (ctx: ChangeContext) => Promise<unknown>): Promise<void> {
  const { ctx: recording, flush } = apart(ctx)
  const own = several(recording)
  await work(own)
  // A change of a role counts for the changes after it.
  ctx.rules = own.rules
  flush()
}

/** A new secret is a change of its own, with its own record. */
function several(ctx: ChangeContext): ChangeContext {
  return { ...ctx, record: (entry) => ctx.recordFor(ctx, entry) }
}

type Marking = {
  state: State
  steps: readonly Step[]
  ids: ReadonlyMap<Wanted, string>
  sections: readonly SectionName[]
  pending: Pending
}

/** Writes what this apply made of each object, where it differs from what the last one made. */
async function writeMarks(ctx: ChangeContext, { state, steps, ids, sections, pending }: Marking): Promise<void> {
  for (const section of sections) {
    const { kind, stored, marks } = state.sections.get(section) as SectionState
    const own = steps.filter((step) => sectionOf(step) === section)
    const next = own.flatMap((step): Mark[] => {
      if (!('match' in step)) return []
      const { wanted, stored: found, mark } = step.match
      const object_id = found?.id ?? ids.get(wanted) ?? ''
      const members = kind.withIds?.(step.members, pending.idOf) ?? step.members
      const isKnown = mark?.object_id === object_id
      return [
        {
          section,
          object_id,
          name: wanted.name,
          origin: isKnown ? mark.origin : found === undefined ? 'created' : 'adopted',
          applied: digestsOf(members),
          secrets: { ...(isKnown && mark.secrets), ...wanted.prepared.fingerprints },
        },
      ]
    })
    const before = new Map(marks.map((mark) => [mark.object_id, mark]))
    const changed = next.filter((mark) => !isSame(mark, before.get(mark.object_id)))
    const current = new Set(next.map(({ object_id }) => object_id))
    const outdated = marks.filter(({ object_id }) => !current.has(object_id)).map(({ object_id }) => object_id)
    await store.deleteMarks(ctx.db, section, [...outdated, ...changed.map(({ object_id }) => object_id)])
    await store.insertMarks(ctx.db, changed)
    const managed = new Set(stored.filter(({ managed_by }) => managed_by === byFile).map(({ id }) => id))
    await setManagedByFile(
      ctx.db,
      section,
      [...current].filter((id) => !managed.has(id)),
      true,
    )
    const released = own.flatMap((step) =>
      'match' in step || step.change.action !== 'release' ? [] : [step.stored.id],
    )
    await setManagedByFile(ctx.db, section, released, false)
  }
}

/** Names of users leave with their users. */
function withoutUsers(change: Change): Change {
  const isOfUsers = ({ pointer }: MemberChange) => pointer === '#/password_exceptions'
  const members = change.members.map((one) => (isOfUsers(one) ? { ...one, before: null, after: null } : one))
  return { ...change, members }
}

type Recording = { changes: readonly Change[]; counts: PlanCounts; input: ApplyInput }

async function recordApply(ctx: ChangeContext, { changes, counts, input }: Recording): Promise<void> {
  const { source, generation } = input
  const said = { ...(source !== undefined && { source }), ...(generation !== undefined && { generation }) }
  ctx.recordFor(ctx, { action: 'configuration.applied', details: { ...said, ...counts } })
  if (generation !== undefined) await setState(ctx.db, generationState, String(generation))
  if (changes.length === 0) return
  await store.insertApply(ctx.db, {
    apply_id: ctx.newId(),
    applied_at: timestamp(ctx.now),
    request_id: ctx.requestId,
    actor_kind: ctx.actor.kind,
    actor_id: ctx.actor.id,
    source: source ?? null,
    generation: generation === undefined ? null : String(generation),
    plan: JSON.stringify({ ...counts, changes: changes.map(withoutUsers) }),
  })
  const oldest = (await store.listApplies(ctx.db, recentApplies)).at(-1)
  if (oldest !== undefined) await store.deleteAppliesBefore(ctx.db, oldest.apply_id)
}
