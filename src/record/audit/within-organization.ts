/** The audit records of one organization: of what belonged to it at that time, and of moves from it; and what they reveal to it. */
import { outside, type Scope } from '../../core/scope.ts'
import type { Db } from '../../store/db/db.ts'
import { containsText } from '../../store/db/dialect.ts'
import { conditionsWithin } from '../../store/db/scope.ts'
import { joinSql, rawSql, type Sql, sql } from '../../store/db/sql.ts'
import type { RecordRow } from '../journal/service.ts'
import type { AuditRecord } from './schema.ts'

const places = ['organization_id', 'former_organization_id'].map(rawSql)

type Place = {
  scope: Scope
  /** The organization of a filter. It narrows the scope, and never widens it. */
  organization: string | undefined
}

/** The condition on each place of a record; none for everyone. */
function placesWithin({ scope, organization }: Place): Sql[] {
  const inFilter = (column: Sql) => (organization === undefined ? [] : [sql`${column} = ${organization}`])
  return places.flatMap((column) => {
    const conditions = conditionsWithin(scope, column)
    return conditions.length === 0 ? inFilter(column) : conditions
  })
}

/** The condition on a record; none for everyone. */
export function placeWithin(place: Place): Sql[] {
  const conditions = placesWithin(place)
  return conditions.length === 0 ? [] : [sql`(${joinSql(conditions, ' OR ')})`]
}

type Bounds = { scope: Scope; descending: boolean; limit: number }

type Finding<Search> = {
  organization: string | undefined
  conditions: readonly Sql[]
  find(db: Db, search: Search, conditions: Sql[]): Promise<RecordRow[]>
}

/** Looks along the index of each place, which has the records in order, and merges what is found. */
export async function findRecordsWithin<Search extends Bounds>(
  db: Db,
  search: Search,
  { organization, conditions, find }: Finding<Search>,
): Promise<RecordRow[]> {
  const { scope, descending, limit } = search
  const found = await Promise.all(
    placesWithin({ scope, organization }).map((place) => find(db, search, [place, ...conditions])),
  )
  const direction = descending ? -1 : 1
  return found
    .flat()
    .sort((a, b) => (Number(a.seq) - Number(b.seq)) * direction)
    .slice(0, limit)
}

/** Actors who are no one in particular. */
const impersonal = ['system', 'anonymous']
/** The kind that is shown of every actor from outside, so that it reveals nothing either. */
const outsideKind = 'user'

/** Filters by actor as the actors are shown: one from outside has no id. */
export function actorConditions(
  db: Db,
  scope: Scope,
  { actor, actor_kind }: { actor?: string | undefined; actor_kind?: string | undefined },
): Sql[] {
  const [id, kind] = [rawSql('actor_id'), rawSql('actor_kind')]
  const visible = (column: Sql, instead: string) =>
    scope.kind === 'everyone'
      ? column
      : sql`CASE WHEN ${isActorWithin(db, scope.organization_id)} THEN ${column} ELSE ${instead} END`
  return [
    // The id itself as well, for its index.
    ...(actor === undefined ? [] : [sql`actor_id = ${actor} AND ${visible(id, '')} = ${actor}`]),
    ...(actor_kind === undefined ? [] : [sql`${visible(kind, outsideKind)} = ${actor_kind}`]),
  ]
}

/** The same as `isVisible`. A quotation mark within a value is escaped, so the text is the member itself. */
function isActorWithin(db: Db, organizationId: string): Sql {
  const isOwn = containsText(db, 'who', `"organization_id":"${organizationId}"`)
  return sql`(actor_kind IN ('system', 'anonymous') OR actor_id = target_id OR ${isOwn})`
}

/** Who a record names besides its target, from its texts. */
export type Named = {
  /** The organization of the actor, and of what the details name. Missing: none. */
  actorsPlace: string | undefined
  relatedPlace: string | undefined
}

/** Returns what a reader of the organization sees: no actor from outside, nothing that the details name there, and of a move one side. */
export function revealedTo(scope: Scope, record: AuditRecord, row: RecordRow, named: Named): AuditRecord {
  if (scope.kind === 'everyone') return record
  const own = scope.organization_id
  const isActorVisible = isVisible(record, named.actorsPlace === own)
  return {
    ...record,
    ...(!isActorVisible && { actor: actorOutside(record), address: null, user_agent: null }),
    ...sideOf(isActorVisible ? record : { ...record, changes: withoutNamed(record.changes) }, row, own),
    details: record.details && detailsFor(record.details, { isActorVisible, isRelatedOwn: named.relatedPlace === own }),
  }
}

function isVisible({ actor, target }: AuditRecord, isOwn: boolean): boolean {
  return isOwn || impersonal.includes(actor.kind) || actor.id === target?.id
}

function actorOutside({ actor: { acts_as }, target }: AuditRecord): AuditRecord['actor'] {
  const isTarget = acts_as !== undefined && acts_as === target?.id
  return {
    ...{ kind: outsideKind, id: '', name: outside.administrator, key_id: null, session_id: null },
    ...(isTarget && { acts_as }),
  }
}

type Change = { before: unknown; after: unknown }

/** Settings of a connection that name groups and users by their ids: those of the service may be from outside. */
const naming = ['groups', 'password_exceptions']

function withoutNamed(changes: AuditRecord['changes']): AuditRecord['changes'] {
  return changes && Object.fromEntries(Object.entries(changes).filter(([member]) => !naming.includes(member)))
}

/** A move is shown to both organizations: to the former one what was there before, to the new one what is there now. */
function sideOf(
  { changes, target }: AuditRecord,
  { former_organization_id }: RecordRow,
  own: string,
): Pick<AuditRecord, 'changes' | 'target'> {
  const move = changes?.organization_id as Change | undefined
  const [isLeaving, isArriving] = [former_organization_id === own, move?.after === own]
  if (changes === null || move === undefined || !(isLeaving || isArriving)) return { changes, target }
  const sides = Object.entries(changes as Record<string, Change | 'changed'>).map(([member, change]) => {
    if (change === 'changed') return [member, change]
    return [member, isLeaving ? { before: change.before, after: null } : { before: null, after: change.after }]
  })
  const { username, name = username } = changes as Record<string, Change>
  const former = isLeaving && typeof name?.before === 'string' ? { name: name.before } : {}
  return { changes: Object.fromEntries(sides), target: target && { ...target, ...former } }
}

/** The names and ids of what the details relate to, and those of what the actor did it with. */
const related = ['group_id', 'connection_id', 'organization_id']
const relatedNames = ['group', 'connection'] as const
const ofActor = ['import_id', 'file_name', 'review_id', 'review', 'groups']

function detailsFor(
  details: Record<string, unknown>,
  { isActorVisible, isRelatedOwn }: { isActorVisible: boolean; isRelatedOwn: boolean },
): Record<string, unknown> {
  const hidden = [...(isRelatedOwn ? [] : related), ...(isActorVisible ? [] : ofActor)]
  const visible = Object.entries(details).filter(([member]) => !hidden.includes(member))
  const names = isRelatedOwn ? [] : relatedNames.filter((name) => name in details)
  return { ...Object.fromEntries(visible), ...Object.fromEntries(names.map((name) => [name, outside[name]])) }
}
