/** Compares a file with what is stored: which object is which, and what an apply would change. Pure. */
import { hash } from 'node:crypto'
import { nameMemberOf, type SectionName } from '../../core/configuration-file.ts'
import type { InputFault } from '../../core/errors.ts'
import type { Kind, Members, Names, Stored, Wanted } from './kind.ts'

/** What the last apply made of an object. */
export type Mark = {
  section: SectionName
  object_id: string
  name: string
  /** Files remove only objects that they created. */
  origin: 'created' | 'adopted'
  /** A digest of each member as it was applied. */
  applied: Readonly<Record<string, string>>
  /** The keyed fingerprints of the secrets. */
  secrets: Readonly<Record<string, string | null>>
}

export type Action = 'create' | 'update' | 'delete' | 'adopt' | 'rename' | 'release'

/** `secret`: the values are secrets, which are not shown. */
export type MemberChange = { pointer: string; before: unknown; after: unknown; secret?: true }

export type Change = {
  kind: SectionName
  name: string
  action: Action
  /** Whether the object was changed by hand since the last apply. */
  drift: boolean
  members: MemberChange[]
}

/** An object of the file, with the stored one that it describes. */
export type Match = { wanted: Wanted; stored: Stored | undefined; mark: Mark | undefined; isRenamed: boolean }

/** What becomes of an object: `match` if the file has it, `stored` if it does not have it any more. */
export type Step =
  | { change: Change | undefined; match: Match; members: Members; changed: Members; secretsChanged: boolean }
  | { change: Change; stored: Stored; mark: Mark }

/** The objects of one section. */
export type SectionState = { kind: Kind; stored: readonly Stored[]; marks: readonly Mark[] }

/** An object of a file, even one with faults. */
export type Named = Pick<Wanted, 'section' | 'pointer' | 'name' | 'renamed_from'>

/** The faults of the names of one section: those that several objects have, and renames in a circle. */
export function nameFaults(kind: Kind, named: readonly Named[]): InputFault[] {
  const first = new Map<string, Named>()
  const inOrder = named.toSorted((a, b) => indexOf(a) - indexOf(b))
  const twice = inOrder.filter((one) => {
    const key = kind.nameKey(one.name)
    const isTwice = first.has(key)
    if (!isTwice) first.set(key, one)
    return isTwice
  })
  const circle = inOrder.filter((one) => {
    const start = kind.nameKey(one.name)
    const passed = new Set([start])
    for (let at: Named | undefined = one; at?.renamed_from !== undefined; ) {
      const former: string = kind.nameKey(at.renamed_from)
      if (former === start) return at !== one
      if (passed.has(former)) return false
      passed.add(former)
      at = first.get(former)
    }
    return false
  })
  const detailOfTwice = 'Another object of the file has this name.'
  return [
    ...twice.map(({ pointer }) => ({
      pointer: `${pointer}/${nameMemberOf(kind.section)}`,
      code: 'named_twice',
      detail: detailOfTwice,
    })),
    ...circle.map(({ pointer }) => ({
      pointer: `${pointer}/renamed_from`,
      code: 'names_swapped',
      detail: swapRefused,
    })),
  ]
}

export const swapRefused =
  "Objects cannot take each other's names in one apply. Rename one to a name that is free, apply that, then rename the others."

function indexOf({ pointer }: Named): number {
  return Number(pointer.split('/').at(-1))
}

/** The form in which the name of a stored object is compared. */
export function storedKey(kind: Pick<Kind, 'nameKey'>, { key, name }: Pick<Stored, 'key' | 'name'>): string {
  return key ?? kind.nameKey(name)
}

/** Finds which stored object each object of the file describes. */
export function matchObjects(
  { kind, stored, marks }: SectionState,
  wanted: readonly Wanted[],
): { matches: Match[]; faults: InputFault[] } {
  const faults: InputFault[] = []
  const byId = new Map(stored.map((one) => [one.id, one]))
  const byName = Map.groupBy(stored, (one) => storedKey(kind, one))
  const marksByName = new Map(marks.map((mark) => [kind.nameKey(mark.name), mark]))
  const marksById = new Map(marks.map((mark) => [mark.object_id, mark]))
  const claimed = new Set<string>()
  const nameMember = nameMemberOf(kind.section)

  /** The object that an apply knew by this name, even if it was renamed by hand since; otherwise the one that has it. */
  function find(name: string, pointer: string): Stored | undefined {
    const key = kind.nameKey(name)
    const mark = marksByName.get(key)
    const known = mark && byId.get(mark.object_id)
    if (known !== undefined) return claimed.has(known.id) ? undefined : known
    const candidates = (byName.get(key) ?? []).filter(({ id }) => !claimed.has(id))
    if (candidates.length > 1) {
      const ids = candidates.map(({ id }) => id).join(', ')
      const detail = `There are several with this name: ${ids}. Rename or delete all but one.`
      faults.push({ pointer, code: 'ambiguous_name', detail })
    }
    return candidates[0]
  }

  function findOnly(name: string): Stored | undefined {
    const key = kind.nameKey(name)
    const known = byId.get(marksByName.get(key)?.object_id ?? '')
    const candidates = known === undefined ? (byName.get(key) ?? []) : [known]
    const free = candidates.filter(({ id }) => !claimed.has(id))
    return free.length === 1 ? free[0] : undefined
  }

  // First the renames, whatever their order in the file: another object may take the former name.
  const renamedObjects = new Map<Wanted, Stored>()
  for (let before = -1; renamedObjects.size > before; ) {
    before = renamedObjects.size
    for (const one of wanted) {
      if (one.renamed_from === undefined || renamedObjects.has(one) || findOnly(one.name) !== undefined) continue
      const former = findOnly(one.renamed_from)
      if (former === undefined) continue
      claimed.add(former.id)
      renamedObjects.set(one, former)
    }
  }

  const matches = wanted.map((one): Match => {
    const key = kind.nameKey(one.name)
    const pointer = `${one.pointer}/${nameMember}`
    const renamed = renamedObjects.get(one)
    const same = renamed === undefined ? find(one.name, pointer) : undefined
    // Of several with the former name it is not known which one.
    if (same === undefined && renamed === undefined && one.renamed_from !== undefined) {
      find(one.renamed_from, `${one.pointer}/renamed_from`)
    }
    const found = same ?? renamed
    if (found !== undefined) claimed.add(found.id)
    const isManagedElsewhere = found !== undefined && found.managed_by !== null && found.managed_by !== 'file'
    if (isManagedElsewhere) {
      const detail = 'A provisioning connection manages this object. Leave it out of the file.'
      faults.push({ pointer, code: 'managed_elsewhere', detail })
    }
    const mark = found === undefined ? marksByName.get(key) : marksById.get(found.id)
    return { wanted: one, stored: found, mark, isRenamed: renamed !== undefined }
  })
  return { matches, faults }
}

/** What an apply makes of an object that the file has. `members` is its complete form. */
export function stepOf(kind: Kind, match: Match, members: Members, names: Names): Step {
  const { wanted, stored, mark, isRenamed } = match
  const of = { kind: kind.section, name: wanted.name }
  const [shownAfter, shownInitial] = [inPlanForm(kind, members, names), kind.initial(members)]
  if (stored === undefined) {
    const listed = Object.entries(shownAfter).filter(([member, value]) => !isSame(value, shownInitial[member]))
    const changes = listed.map(([member, after]) => ({ pointer: `#/${member}`, before: null, after }))
    const secrets = Object.keys(wanted.prepared.fingerprints ?? {}).map(secretChange)
    const change: Change = { ...of, action: 'create', drift: mark !== undefined, members: [...changes, ...secrets] }
    return { change, match, members, changed: members, secretsChanged: false }
  }
  const changed = Object.fromEntries(
    Object.entries(members).filter(([member, value]) => !isSame(value, stored.members[member])),
  )
  const shownBefore = inPlanForm(kind, stored.members, names)
  const secretNames = changedSecrets(wanted)
  const changes: MemberChange[] = Object.keys(changed).map((member) => ({
    pointer: `#/${member}`,
    before: shownBefore[member] ?? null,
    after: shownAfter[member] ?? null,
  }))
  changes.push(...secretNames.map(secretChange))
  if (wanted.rotates) changes.push(secretChange('secret'))
  const isAdopted = mark === undefined || mark.object_id !== stored.id
  const action: Action = isAdopted ? 'adopt' : isRenamed ? 'rename' : 'update'
  const drift =
    !isAdopted && (driftedMembers(mark, stored, Object.keys(changed)).length > 0 || hasOtherSecrets(mark, wanted))
  const isUnchanged = action === 'update' && changes.length === 0
  const change = isUnchanged ? undefined : { ...of, action, drift, members: changes }
  return { change, match, members, changed, secretsChanged: secretNames.length > 0 }
}

/** What becomes of objects that left the file, in the order of their names. */
export function leavingSteps({ kind, stored, marks }: SectionState, matches: readonly Match[], names: Names): Step[] {
  const claimed = new Set(matches.flatMap(({ stored }) => (stored === undefined ? [] : [stored.id])))
  const byId = new Map(stored.map((one) => [one.id, one]))
  return marks.flatMap((mark): Step[] => {
    const left = byId.get(mark.object_id)
    if (left === undefined || claimed.has(left.id)) return []
    const isDeleted = mark.origin === 'created'
    const initial = kind.initial(left.members)
    const before = Object.entries(inPlanForm(kind, left.members, names)).filter(
      ([name, value]) => !isSame(value, initial[name]),
    )
    const members = isDeleted
      ? before.map(([name, value]) => ({ pointer: `#/${name}`, before: value, after: null }))
      : []
    const drift = driftedMembers(mark, left).length > 0
    const action = isDeleted ? 'delete' : 'release'
    return [{ change: { kind: kind.section, name: left.name, action, drift, members }, stored: left, mark }]
  })
}

/** The members that are not as the last apply left them. */
export function driftedMembers(
  mark: Mark,
  stored: Stored,
  among: readonly string[] = Object.keys(mark.applied),
): string[] {
  const now = digestsOf(stored.members)
  return among.filter((member) => mark.applied[member] !== now[member])
}

/** A short digest of each member: enough to see a change, and no value is kept. */
export function digestsOf(members: Members): Record<string, string> {
  const digests = Object.entries(members).map(([member, value]) => [
    member,
    hash('sha256', textOf(value), 'base64url').slice(0, 16),
  ])
  return Object.fromEntries(digests)
}

function changedSecrets({ prepared: { fingerprints = {}, storedFingerprints = {} } }: Wanted): string[] {
  return Object.keys(fingerprints).filter((member) => fingerprints[member] !== (storedFingerprints[member] ?? null))
}

/** Whether a secret that the file has was replaced by hand. */
function hasOtherSecrets({ secrets }: Mark, { prepared: { storedFingerprints = {} } }: Wanted): boolean {
  return Object.entries(secrets).some(([member, print]) => print !== (storedFingerprints[member] ?? null))
}

function secretChange(member: string): MemberChange {
  return { pointer: `#/${member}`, before: null, after: null, secret: true }
}

/** An object as a file has it: with names, complete. */
export function inFileForm(kind: Kind, members: Members, names: Names): Members {
  return kind.withNames?.(members, names) ?? members
}

function inPlanForm(kind: Kind, members: Members, names: Names): Members {
  const inFile = inFileForm(kind, members, names)
  return kind.abridged?.(inFile) ?? inFile
}

export function isSame(a: unknown, b: unknown): boolean {
  return a === b || textOf(a) === textOf(b)
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

export type PlanCounts = Record<
  'created' | 'updated' | 'deleted' | 'adopted' | 'renamed' | 'released' | 'drifted' | 'unchanged',
  number
>

export function countsOf(steps: readonly Step[]): PlanCounts {
  const changes = steps.flatMap(({ change }) => change ?? [])
  const count = (action: Action) => changes.filter((one) => one.action === action).length
  return {
    created: count('create'),
    updated: count('update'),
    deleted: count('delete'),
    adopted: count('adopt'),
    renamed: count('rename'),
    released: count('release'),
    drifted: changes.filter(({ drift }) => drift).length,
    unchanged: steps.length - changes.length,
  }
}
