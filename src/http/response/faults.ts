/** Turns JSON Schema errors into sentences that name the member and never show its value. */
import type { FastifySchemaValidationError } from 'fastify'
import type { InputFault } from '../../core/errors.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { shownName, shownNames } from '../../lib/shown-name.ts'

/** The most faults that are reported; a hostile body could have thousands. */
export const faultLimit = 20
const toldFaults = 10
const listedNames = 40

/** With `verbose`, the validator also reports the schema and the value. */
export type SchemaFault = Pick<FastifySchemaValidationError, 'keyword' | 'instancePath' | 'params' | 'message'> & {
  parentSchema?: Record<string, unknown>
  data?: unknown
}

export type Place = 'body' | 'query' | 'row'

/** Returns each fault separately, and one text with all of them. */
export function inputFaults(found: readonly SchemaFault[], place: Place): { detail: string; errors: InputFault[] } {
  const faults = unionsInOne(found)
  const strangers = faults.filter(({ keyword }) => keyword === 'additionalProperties')
  const others = faults.filter(({ keyword }) => keyword !== 'additionalProperties')
  const groups = Map.groupBy(strangers, ({ instancePath }) => instancePath).values()
  const sentences = [...groups]
    .map((group) => unknownNames(group, place))
    .concat(others.map((one) => sentenceOf(one, place)))
  const rest = sentences.length - toldFaults
  const detail = sentences.slice(0, toldFaults).join(' ') + (rest > 0 ? ` And ${rest} more faults.` : '')
  const errors = faults.slice(0, faultLimit).map((fault) => ({
    pointer: pointerOf(fault, place),
    code: faultCodes[fault.keyword] ?? 'invalid',
    detail:
      fault.keyword === 'additionalProperties'
        ? unknownNames([fault], place, { isOneOfMany: strangers.length > 1 })
        : sentenceOf(fault, place),
  }))
  return { detail, errors }
}

function pointerOf({ instancePath, params }: SchemaFault, place: Place): string {
  const named = (params.additionalProperty ?? params.missingProperty) as string | undefined
  // Other names would have to be escaped; the text contains them.
  const path = named !== undefined && /^[\w.-]{1,64}$/.test(named) ? `${instancePath}/${named}` : instancePath
  return place === 'query' ? `?${path.slice(1)}` : `#${path}`
}

/** A value that matches none of several forms is one fault, not one per form. */
function unionsInOne(found: readonly SchemaFault[]): SchemaFault[] {
  const unions = found.filter(({ keyword }) => keyword === 'anyOf')
  const isBranch = (fault: SchemaFault) => unions.some(({ instancePath }) => instancePath === fault.instancePath)
  return found.filter((fault) => fault.keyword === 'anyOf' || !isBranch(fault))
}

const faultCodes: Record<string, string> = {
  additionalProperties: 'unknown_member',
  required: 'missing_member',
  dependentRequired: 'missing_member',
  type: 'wrong_type',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few',
  maxItems: 'too_many',
  uniqueItems: 'repeated',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  enum: 'not_one_of',
  anyOf: 'wrong_type',
  format: 'wrong_format',
}

/** The unknown names of one object, and the known ones. */
function unknownNames(group: readonly SchemaFault[], place: Place, { isOneOfMany = false } = {}): string {
  const names = group.map(({ params }) => String(params.additionalProperty))
  const accepted = Object.keys((group[0]?.parentSchema?.properties ?? {}) as object)
  const kind = place === 'query' ? 'parameter' : 'member'
  return unknownMembers(names, accepted, { kind, isListed: !isOneOfMany })
}

/** Says which names are unknown, which known ones may be meant, and which exist. */
export function unknownMembers(
  names: readonly string[],
  accepted: readonly string[],
  { kind, isListed = true }: { kind: 'member' | 'parameter' | 'column'; isListed?: boolean },
): string {
  const isOne = names.length === 1
  const what = kind === 'column' ? `No member has the name of the ${isOne ? 'column' : 'columns'}` : undefined
  const beginning = what ?? (isOne ? `There is no ${kind}` : `There are no ${kind}s`)
  const meant = names
    .slice(0, 10)
    .flatMap((name) => {
      const near = nearestName(name, accepted)
      return near === undefined ? [] : [isOne ? `"${near}"` : `"${near}" for ${shownName(name)}`]
    })
    .join(', ')
  const hint = meant === '' ? '' : ` Did you mean ${meant}?`
  const list = accepted.slice(0, listedNames).join(', ')
  const accepts =
    accepted.length === 0 || !isListed ? '' : ` Accepted: ${list}${accepted.length > listedNames ? ', …' : ''}.`
  return `${beginning} ${shownNames(names)}.${hint}${accepts}`
}

/** Number reads `1e2` and `0x10` too, so their authors may wonder. */
function digitsHint(type: unknown, data: unknown, place: Place): string {
  return place === 'query' && type === 'integer' && typeof data === 'string' ? ' Use decimal digits, such as 20.' : ''
}

function sentenceOf(
  { keyword, instancePath, params, message = '', parentSchema, data }: SchemaFault,
  place: Place,
): string {
  const subject = nameOf(instancePath, place)
  switch (keyword) {
    case 'required':
      return `${within(instancePath)}${params.missingProperty} is required.`
    case 'dependentRequired':
      return `${within(instancePath)}${params.missingProperty} is required together with ${params.property}.`
    case 'type':
      if (place === 'body' && instancePath === '' && data === null) {
        return `${subject} is null. Send ${alternatives(params.type)} as application/json.`
      }
      return `${subject} must be ${alternatives(params.type)}${butIs(data, place)}.${digitsHint(params.type, data, place)}`
    case 'enum':
      return `${subject} must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}.`
    case 'const':
      return `${subject} must be ${String(params.allowedValue)}.`
    case 'anyOf':
      return `${subject} must be ${unionOf(parentSchema?.anyOf)}.`
    case 'minLength':
      return `${subject} must have at least ${counted(params.limit, 'character')}${butHas(data)}.`
    case 'maxLength':
      return `${subject} must have at most ${counted(params.limit, 'character')}${butHas(data)}.`
    case 'minItems':
      return `${subject} must have at least ${counted(params.limit, 'entry', 'entries')}.`
    case 'maxItems':
      return `${subject} must have at most ${counted(params.limit, 'entry', 'entries')}${butHas(data)}.`
    case 'minProperties':
      return `${subject} must have at least ${counted(params.limit, 'member')}.`
    case 'maxProperties':
      return `${subject} must have at most ${counted(params.limit, 'member')}.`
    case 'uniqueItems':
      return `${subject} has a duplicate entry: entries ${Number(params.j) + 1} and ${Number(params.i) + 1} are the same.`
    case 'minimum':
      return `${subject} must be ${params.limit} or more.`
    case 'maximum':
      return `${subject} must be ${params.limit} or less.`
    case 'pattern':
      return `${subject} does not have the documented form.`
    case 'format':
      return params.format === 'uuid'
        ? `${subject} must be a UUID, such as 019ab2f0-6c1e-7f43-8a55-20c4f1d0b7a9.`
        : `${subject} must be an RFC 3339 date and time, such as 2026-11-20T09:30:00Z.`
    default:
      return `${subject} ${message}.`
  }
}

/** `permissions[2]` for `/permissions/2`. */
function nameOf(instancePath: string, place: Place): string {
  const path = instancePath
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (instancePath === '') return { body: 'The body', query: 'The query', row: 'The row' }[place]
  return path.map((part, n) => (/^\d+$/.test(part) && n > 0 ? `[${part}]` : n === 0 ? part : `.${part}`)).join('')
}

function within(instancePath: string): string {
  return instancePath === '' ? '' : `${nameOf(instancePath, 'body')}.`
}

const kinds: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

function alternatives(types: unknown): string {
  return [types]
    .flat()
    .map((type) => kinds[String(type)] ?? String(type))
    .join(' or ')
}

function unionOf(forms: unknown): string {
  if (!Array.isArray(forms)) return 'of one of the documented forms'
  const each = (forms as { type?: unknown; const?: unknown }[]).map(({ type, const: constant }) =>
    constant === undefined ? (type === undefined ? undefined : alternatives(type)) : String(constant),
  )
  if (each.includes(undefined)) return 'of one of the documented forms'
  return each.join(' or ')
}

/** The type of the value, which is not secret; never the value. */
function butIs(data: unknown, place: Place): string {
  if (data === undefined) return ''
  if (place === 'query') return Array.isArray(data) ? ' and be given once' : ''
  const kind = data === null ? 'null' : Array.isArray(data) ? 'array' : typeof data
  return `, not ${kind === 'boolean' ? String(data) : (kinds[kind] ?? kind)}`
}

function butHas(data: unknown): string {
  if (typeof data === 'string') {
    const length = Array.from(data).length
    return length === 0 ? ' and is empty' : `, and has ${length}`
  }
  return Array.isArray(data) ? `, and has ${data.length}` : ''
}

function counted(count: unknown, one: string, several = `${one}s`): string {
  return `${Number(count).toLocaleString('en')} ${count === 1 ? one : several}`
}
