/** Filters of lists by attributes: `attributes.department=Sales`. */

import { AppError, type InputFault, validationFailed } from '../../core/errors.ts'
import type { Db, Engine } from '../../store/db/db.ts'
import { type Sql, sql } from '../../store/db/sql.ts'
import type { AttributeCache } from './cache.ts'
import type { Definition, Definitions } from './definitions.ts'
import { countUpTo } from './store.ts'
import { fromCell, keysOf, normalized, unknownAttribute, valueFault } from './values.ts'

/** Users who have this value; of a list, this text. */
export type AttributeFilter = {
  name: string
  value: string | number | boolean
  key: string
  isIndexed: boolean
  engine: Engine
}

/** The maximum number of users to scan when no index has the values. */
const mostScanned = 10_000

const prefix = 'attributes.'

type Needs = { attributes: AttributeCache; storage: { db: Db } }

/** `pointer`: how refusals name a parameter. */
type How = { pointer?: (name: string) => string }

/**
 * The filters by attributes among the parameters of a list; undefined without one.
 *
 * @throws AppError `validation_failed`, and `list_too_costly` where too many users would have to be looked at
 */
export async function attributeFilters(
  { attributes, storage: { db } }: Needs,
  query: object,
  { pointer = (name) => `?${name}` }: How = {},
): Promise<AttributeFilter[] | undefined> {
  const parameters = Object.entries(query).filter(([name]) => name.startsWith(prefix))
  if (parameters.length === 0) return undefined
  const { definitions } = await attributes.current()
  const faults: InputFault[] = []
  const filters: AttributeFilter[] = []
  for (const [parameter, sought] of parameters) {
    const read = readFilter(definitions, parameter.slice(prefix.length), String(sought))
    if ('fault' in read) faults.push({ pointer: pointer(parameter), ...read.fault })
    else filters.push({ ...read, engine: db.engine })
  }
  if (faults.length > 0) throw validationFailed(faults)
  if (!filters.some(({ isIndexed }) => isIndexed)) await refuseScan(db, filters, query)
  return filters
}

type Fault = Omit<InputFault, 'pointer'>

function readFilter(
  definitions: Definitions,
  name: string,
  text: string,
): Omit<AttributeFilter, 'engine'> | { fault: Fault } {
  const definition = definitions.get(name)
  if (definition === undefined) {
    return { fault: { code: 'unknown_attribute', detail: unknownAttribute(name, definitions) } }
  }
  const value = soughtValue(definition, text)
  const detail = formFault(definition, value)
  if (detail !== undefined) return { fault: { code: 'wrong_type', detail } }
  // No value has a control character, and PostgreSQL takes no NUL.
  const [key = ''] = /\p{Cc}/u.test(text) ? ['\n'] : keysOf(definition, value)
  return { name, value: key === '\n' ? '\n' : value, key, isIndexed: definition.isIndexed }
}

type Sought = string | number | boolean

/** For a list, the filter matches one of its texts. */
function soughtValue(definition: Definition, text: string): Sought {
  if (definition.type === 'string[]') return text
  // A cell may be written as spreadsheets write times; a filter has the form of the API.
  const isTime = definition.type === 'date' || definition.type === 'datetime'
  const value = (isTime ? text : fromCell(definition, text)) as Sought
  return formFault(definition, value) === undefined ? (normalized(definition, value) as Sought) : value
}

const typesWithForm: readonly string[] = ['number', 'boolean', 'date', 'datetime', 'enum']

/** Says what form the values have, if no value can be this one. The other types are texts, any of which can be sought. */
function formFault(definition: Definition, value: Sought): string | undefined {
  if (!typesWithForm.includes(definition.type)) return undefined
  return valueFault({ ...definition, minimum: null, maximum: null }, value)
}

/** Filters that find few users, whatever their attributes are. */
const narrow: readonly string[] = ['user_id', 'username', 'email', 'external_id']

async function refuseScan(db: Db, filters: readonly AttributeFilter[], query: { locked?: boolean }): Promise<void> {
  if (query.locked || narrow.some((name) => Object.hasOwn(query, name))) return
  if ((await countUpTo(db, mostScanned + 1)) <= mostScanned) return
  const names = filters.map(({ name }) => name).join(', ')
  throw new AppError(
    'list_too_costly',
    `Filtering by ${names} would take too long. Set searchable in its definition, or filter by a searchable attribute too.`,
  )
}

/** A filter as a condition on a user, whose id is in `column`. */
export function attributeCondition(filter: AttributeFilter, column: Sql): Sql {
  if (filter.isIndexed) {
    return sql`EXISTS (SELECT 1 FROM attribute_values WHERE ${holdersOf(filter)} AND attribute_values.user_id = ${column})`
  }
  const { name, value, engine } = filter
  // Both take a single value for a list of one.
  return engine === 'sqlite'
    ? sql`EXISTS (SELECT 1 FROM json_each(users.attributes, ${`$.${name}`}) AS one WHERE one.value = ${sqliteValue(value)})`
    : sql`(users.attributes::jsonb -> ${name}::text) @> ${JSON.stringify(value)}::jsonb`
}

/** SQLite reads the booleans of JSON as numbers. */
function sqliteValue(value: string | number | boolean): string | number {
  return typeof value === 'boolean' ? Number(value) : value
}

/** The entries of the index that a filter means. */
export function holdersOf({ name, key }: AttributeFilter): Sql {
  return sql`attribute_values.attribute = ${name} AND attribute_values.value_key = ${key}`
}
