/** Selects the groups of a SCIM list. There are a few thousand at most, so they are filtered and sorted in memory. */
import * as groups from '../../administration/groups/service.ts'
import { groupNameKey } from '../../lib/group-name.ts'
import { PrecisError } from '../../lib/precis.ts'
import { trimEnds } from '../../lib/typed-name.ts'
import type { Db } from '../../store/db/db.ts'
import type { Filter } from '../filter/ast.ts'
import { compileFilter } from '../filter/evaluate.ts'
import { conditionsIn } from '../filter/work.ts'
import { type Condition, planFilter } from '../mapping/list-filter.ts'
import { compileKey } from '../paging/sort.ts'
import { ScimError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { groupResource, readGroups, showsMembers } from '../resources/groups.ts'
import { groupDefinition } from '../schemas/definition.ts'
import { mostComparisons, select, workOfList } from './select.ts'
import { type Found, isKnown, keyIn, type UsersAsked } from './users.ts'
import { cut, windowOf } from './window.ts'

/** @throws ScimError */
export async function findGroups(db: Db, query: UsersAsked, window = windowOf(query)): Promise<Found> {
  const { request, base, booleansAsText, isForAll = false, scope } = query
  const { sortBy, projection } = request
  const filter = request.filter && withStoredNames(request.filter)
  const work = workOfList()
  const options = { booleansAsText, unknownIsAbsent: isForAll, spend: work.spend }
  const matches = filter && compileFilter(filter, groupDefinition, options)
  const isPlanned = filter !== undefined && (!isForAll || isKnown(filter, groupDefinition))
  const plan = isPlanned ? planFilter(filter, groupDefinition, booleansAsText) : undefined
  const rows = await groups.listAll(db, scope, await filtersOf(db, plan?.conditions ?? []))
  if (filter !== undefined && rows.length * conditionsIn(filter) > mostComparisons) throw tooMany()
  const looksAtMembers = (filter !== undefined && namesMembers(filter)) || sortBy?.name.toLowerCase() === 'members'
  const all = looksAtMembers
    ? await readGroups(db, scope, rows, base, true)
    : rows.map((row) => groupResource(row, undefined, base))
  const found = matches === undefined ? all : await select(db, all, matches, work)
  // By name; with a cursor by id, as a group may be renamed between two pages.
  const byName = request.page.by === 'index' ? compileKey({ name: 'displayName' }, groupDefinition) : undefined
  const asSorted = keyIn(request, groupDefinition, isForAll)
  const keyOf = asSorted ?? byName
  const matching = found.map((resource) => ({ id: String(resource.id), key: keyOf?.(resource) ?? null, resource }))
  const { marks, more } = cut(matching, window, { descending: asSorted !== undefined && request.descending })
  const byId = new Map(matching.map(({ id, resource }) => [id, resource]))
  const page = marks.map(({ id }) => byId.get(id) as JsonObject)
  const place = { total: found.length, window, marks, more }
  if (looksAtMembers || !showsMembers(projection)) return { resources: page, ...place }
  const rowOf = new Map(rows.map((row) => [row.group_id, row]))
  const listedRows = marks.flatMap(({ id }) => rowOf.get(id) ?? [])
  return { resources: await readGroups(db, scope, listedRows, base, true), ...place }
}

function tooMany(): ScimError {
  return new ScimError(
    'tooMany',
    'The filter has too many conditions for so many groups. Use fewer, or filter by id, displayName, externalId or members.value as well.',
  )
}

/** The conditions that the table of groups has an index for. The whole filter is compared afterwards. */
async function filtersOf(db: Db, conditions: readonly Condition[]): Promise<groups.GroupFilters> {
  const filters: { -readonly [Name in keyof groups.GroupFilters]: groups.GroupFilters[Name] } = {}
  for (const condition of conditions) {
    if (!('values' in condition)) continue
    const [value = ''] = condition.values
    if (condition.on === 'id') filters.ids = condition.values
    else if (condition.on === 'member') filters.ids = await groups.findGroupsWithMember(db, condition.values)
    else if (condition.values.length > 1) continue
    else if (condition.on === 'externalId') filters.external_id = value
    else if (condition.on === 'displayName') {
      const key = keyOf(value)
      if (key !== undefined) filters.name_key = key
    }
  }
  return filters
}

/** A text that is not a valid group name matches nothing once the filter is compared. */
function keyOf(name: string): string | undefined {
  try {
    return groupNameKey(name)
  } catch (error) {
    if (error instanceof PrecisError) return undefined
    throw error
  }
}

/** Names are stored without blanks at their ends, also those of clients that send some. */
function withStoredNames(filter: Filter): Filter {
  if ('filters' in filter) return { ...filter, filters: filter.filters.map(withStoredNames) }
  if (filter.kind === 'not') return { ...filter, filter: withStoredNames(filter.filter) }
  const isName =
    filter.kind === 'compare' && filter.operator === 'eq' && filter.path.name.toLowerCase() === 'displayname'
  return isName && typeof filter.value === 'string' ? { ...filter, value: trimEnds(filter.value) } : filter
}

function namesMembers(filter: Filter): boolean {
  if ('filters' in filter) return filter.filters.some(namesMembers)
  if (filter.kind === 'not') return namesMembers(filter.filter)
  return filter.path.name.toLowerCase() === 'members'
}
